import { type Either, left, right } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import { sameText } from '../../domain/same-text.ts';
import type { User } from '../../domain/user.ts';
import { confirm } from '../../domain/verification.ts';
import type { UseCase } from '../bus.ts';
import type { UserChange } from '../change.ts';
import { anyone } from '../passwords.ts';
import type { Clock } from '../ports/clock.ts';

export interface ConfirmVerification {
  readonly type: 'ConfirmVerification';
  readonly key: EmailKey;
  readonly token: string;
}

export type ConfirmVerificationCase = UseCase<ConfirmVerification, Either<Failure, User>>;

/** Marks a user's address as verified. Left: `user_not_found`, `token_mismatch` (also when none is outstanding), `contended`. */
export class ConfirmVerificationHandler {
  constructor(
    private readonly change: UserChange,
    private readonly clock: Clock,
  ) {}

  handle({ key, token }: ConfirmVerification): Promise<Either<Failure, User>> {
    return this.change.apply({
      key,
      // The token is what authorises this change, and it is checked with the user at hand.
      gate: anyone,
      transition: (user) => {
        const outstanding = user.email.verificationToken;
        return outstanding !== null && sameText(outstanding, token)
          ? right(confirm(user, this.clock.now()))
          : left(failure('token_mismatch'));
      },
      whenContended: 'contended',
    });
  }
}
