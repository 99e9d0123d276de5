import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { keyOf } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import type { UserKey } from '../../domain/user-name.ts';
import { isDisabled } from '../../domain/user-state.ts';
import { confirmVerification, isVerificationTokenExpired } from '../../domain/verification.ts';
import { type MailedTokens, tokenCheck } from '../mailed-tokens.ts';
import { unlimited } from '../ports/attempt-counter.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import { type Authorization, onEntityTag } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import type { SettlingStore } from '../writing/settling-store.ts';
import type { VerificationMethod } from './verification-codes.ts';

/** The options of verification links and codes. */
export interface LinkPolicy {
  /** Whether an unknown user is refused like a wrong token. */
  readonly hideUnknownUsers: boolean;
  /** How long a token verifies; null if it never expires. */
  readonly tokenLifetimeMs: number | null;
}

/** Why a verification token does not authorize a change. */
export type VerificationFailure = 'user_not_found' | 'token_mismatch' | 'token_expired' | 'too_many_attempts';

interface GivenToken {
  readonly key: UserKey;
  readonly token: string;
  /** The address from which a code comes, if wrong codes are counted per address. */
  readonly client?: string | undefined;
}

/**
 * Authorizes callers by the outstanding verification token. If there is none, every token is a `token_mismatch`. A code
 * expires also for a verified user, because a response shows the user.
 */
const authorizeByToken = (
  { key, token, client }: GivenToken,
  { hideUnknownUsers, tokenLifetimeMs }: LinkPolicy,
  clock: Clock,
  { tokens, throttle }: Pick<VerificationMethod, 'tokens' | 'throttle'>,
): Authorization<VerificationFailure> => {
  const check = tokenCheck(tokens, throttle, { user: key, client }, token);
  return async (stored) => {
    const now = clock.now();
    // Only a caller with the right password may learn that a user is disabled.
    const isEnabled = stored !== undefined && !isDisabled(stored.user, now);
    const address = stored === undefined ? key : keyOf(stored.user.email.address);
    const checked = await check(address, isEnabled ? stored.user.email.verification.token : undefined);
    if (isLeft(checked)) return checked;
    if (stored === undefined) return left(failure(hideUnknownUsers ? 'token_mismatch' : 'user_not_found'));
    // Check the token before its age: only its holder may learn that it has expired.
    if (!checked.right) return left(failure('token_mismatch'));
    const expired = isVerificationTokenExpired(stored.user, tokenLifetimeMs, now, tokens.isGuessable);
    return expired ? left(failure('token_expired')) : right(stored);
  };
};

export interface ConfirmVerification extends GivenToken {
  readonly type: 'ConfirmVerification';
  /** The user must have one of these versions; undefined for any. */
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
    private readonly policy: LinkPolicy,
    private readonly method: Pick<VerificationMethod, 'tokens' | 'throttle'>,
  ) {}

  handle({ ifMatch, ...given }: ConfirmVerification, startedMs: number): Promise<ConfirmVerificationResult> {
    return this.updates.apply<VerificationFailure | 'stale_user'>(
      {
        key: given.key,
        authorize: onEntityTag(ifMatch, authorizeByToken(given, this.policy, this.clock, this.method)),
        transition: (user) => right(confirmVerification(user, this.clock.now())),
        events: ['verification.confirmed'],
      },
      startedMs,
    );
  }
}

export interface CheckVerification extends GivenToken {
  readonly type: 'CheckVerification';
}

export type CheckVerificationResult = Either<Failure<VerificationFailure>, StoredUser>;

declare module '../bus.ts' {
  interface Queries {
    readonly CheckVerification: UseCase<CheckVerification, CheckVerificationResult>;
  }
}

/** Reads the user whom the token of a link would verify, without changing anything. */
export class CheckVerificationHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly clock: Clock,
    private readonly links: LinkPolicy,
    private readonly tokens: MailedTokens,
  ) {}

  async handle(given: CheckVerification): Promise<CheckVerificationResult> {
    return authorizeByToken(given, this.links, this.clock, { tokens: this.tokens, throttle: unlimited })(
      await this.users.find(given.key),
    );
  }
}
