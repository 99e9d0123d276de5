import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { type Failure, failure } from '../../domain/failure.ts';
import type { UserKey } from '../../domain/user-name.ts';
import { isDisabled } from '../../domain/user-state.ts';
import { confirmVerification, isTokenExpired } from '../../domain/verification.ts';
import { isOutstanding } from '../constant-time.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import { type Authorization, onEntityTag } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

/** The options of verification links. */
export interface LinkPolicy {
  /** Whether an unknown user is refused like a wrong token. */
  readonly hideUnknownUsers: boolean;
  /** How long a token verifies; null if it never expires. */
  readonly tokenLifetimeMs: number | null;
}

/** Why a verification token does not authorize a change. */
export type VerificationFailure = 'user_not_found' | 'token_mismatch' | 'token_expired';

/** Authorizes callers by the outstanding verification token. If there is none, every token is a `token_mismatch`. */
const authorizeByToken =
  (
    token: string,
    { hideUnknownUsers, tokenLifetimeMs }: LinkPolicy,
    clock: Clock,
  ): Authorization<VerificationFailure> =>
  async (stored) => {
    const matches = isOutstanding(stored?.user.email.verification.token, token);
    if (stored === undefined) return left(failure(hideUnknownUsers ? 'token_mismatch' : 'user_not_found'));
    // Check the token before its age: only its holder may learn that it has expired.
    if (!matches) return left(failure('token_mismatch'));
    const now = clock.now();
    // Only a caller with the right password may learn the state of a user.
    if (isDisabled(stored.user, now)) return left(failure('token_mismatch'));
    const expired = tokenLifetimeMs !== null && isTokenExpired(stored.user, tokenLifetimeMs, now);
    return expired ? left(failure('token_expired')) : right(stored);
  };

export interface ConfirmVerification {
  readonly type: 'ConfirmVerification';
  readonly key: UserKey;
  readonly token: string;
  /** The versions of which the user must have one; undefined for any. */
  readonly ifMatch?: readonly string[] | undefined;
}

export type ConfirmVerificationResult = Either<Failure<VerificationFailure | 'contended' | 'stale_user'>, StoredUser>;

declare module '../bus.ts' {
  interface Commands {
    readonly ConfirmVerification: UseCase<ConfirmVerification, ConfirmVerificationResult>;
  }
}

/** Marks the address of a user as verified, if the caller holds the outstanding token. */
export class ConfirmVerificationHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
    private readonly links: LinkPolicy,
  ) {}

  handle({ key, token, ifMatch }: ConfirmVerification, startedMs: number): Promise<ConfirmVerificationResult> {
    return this.updates.apply<VerificationFailure | 'contended' | 'stale_user'>(
      {
        key,
        authorize: onEntityTag(ifMatch, authorizeByToken(token, this.links, this.clock)),
        transition: (user) => right(confirmVerification(user, this.clock.now())),
        events: ['verification.confirmed'],
        whenContended: 'contended',
      },
      startedMs,
    );
  }
}

export interface CheckVerification {
  readonly type: 'CheckVerification';
  readonly key: UserKey;
  readonly token: string;
}

export type CheckVerificationResult = Either<Failure<VerificationFailure>, StoredUser>;

declare module '../bus.ts' {
  interface Queries {
    readonly CheckVerification: UseCase<CheckVerification, CheckVerificationResult>;
  }
}

/** Reads the user whom a token would verify, without changing anything. */
export class CheckVerificationHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly clock: Clock,
    private readonly links: LinkPolicy,
  ) {}

  async handle({ key, token }: CheckVerification): Promise<CheckVerificationResult> {
    return authorizeByToken(token, this.links, this.clock)(await this.users.find(key));
  }
}
