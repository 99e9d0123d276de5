import { type Either, right } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import { confirm } from '../../domain/verification.ts';
import type { Clock } from '../ports/clock.ts';
import type { UseCase } from '../use-case.ts';
import type { OptimisticUpdate } from '../users/optimistic-update.ts';
import { authorizeByToken, type LinkRules } from '../users/verification-token.ts';

export interface ConfirmVerification {
  readonly type: 'ConfirmVerification';
  readonly key: EmailKey;
  readonly token: string;
}

export type ConfirmVerificationCase = UseCase<ConfirmVerification, Either<Failure, User>>;

/**
 * Marks a user's address as verified. Left: `token_mismatch` (also when none is outstanding), `token_expired` (not for a
 * user who is verified already), `contended`, and `user_not_found` where that is not hidden.
 */
export class ConfirmVerificationHandler {
  constructor(
    private readonly change: OptimisticUpdate,
    private readonly clock: Clock,
    private readonly rules: LinkRules,
  ) {}

  handle({ key, token }: ConfirmVerification): Promise<Either<Failure, User>> {
    return this.change.apply({
      key,
      // The token is what authorises this change, and it is checked with the user at hand.
      gate: authorizeByToken(token, this.rules, this.clock),
      transition: (user) => right(confirm(user, this.clock.now())),
      event: 'verification.confirmed',
      whenContended: 'contended',
    });
  }
}
