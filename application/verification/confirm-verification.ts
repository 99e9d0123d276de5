import { type Either, right } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import { confirmVerification } from '../../domain/verification.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import { onEntityTag } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import { authorizeByToken, type LinkPolicy, type TokenFailure } from './verification-token.ts';

export interface ConfirmVerification {
  readonly type: 'ConfirmVerification';
  readonly key: EmailKey;
  readonly token: string;
  /** The versions of which the user must have one; undefined for any. */
  readonly ifMatch?: readonly string[] | undefined;
}

export type ConfirmVerificationResult = Either<Failure<TokenFailure | 'contended' | 'stale_user'>, StoredUser>;

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
    return this.updates.apply<TokenFailure | 'contended' | 'stale_user'>(
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
