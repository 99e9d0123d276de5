import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import { issueToken } from '../../domain/verification.ts';
import type { UseCase } from '../bus.ts';
import type { UserChange } from '../change.ts';
import type { Passwords } from '../passwords.ts';
import type { Clock } from '../ports/clock.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { Tokens } from '../ports/tokens.ts';
import type { VerificationMail } from '../verification-mail.ts';

export interface SendVerification {
  readonly type: 'SendVerification';
  readonly key: EmailKey;
  /** The `password` header. */
  readonly supplied: string | undefined;
  /** Where the service is reached from outside, without a slash at the end: the link in the mail starts with it. */
  readonly baseUrl: string;
}

export type SendVerificationCase = UseCase<SendVerification, Either<Failure, User>>;

/**
 * Stores a new verification token on a user and mails it. Left: `user_not_found`, `wrong_password`, `contended`.
 * Throws the mailer's Fault when the mail can't be sent; the token then stays, and a further command replaces it.
 */
export class SendVerificationHandler {
  constructor(
    private readonly change: UserChange,
    private readonly passwords: Passwords,
    private readonly clock: Clock,
    private readonly tokens: Tokens,
    private readonly mail: VerificationMail,
    private readonly mailer: Mailer,
  ) {}

  async handle({ key, supplied, baseUrl }: SendVerification): Promise<Either<Failure, User>> {
    const token = this.tokens.next();
    const changed = await this.change.apply({
      key,
      gate: this.passwords.gate(supplied),
      transition: (user) => right(issueToken(user, token, this.clock.now())),
      whenContended: 'contended',
    });
    if (isLeft(changed)) return changed;
    await this.mailer.send(this.mail.to(changed.right.email.address, token, baseUrl));
    return changed;
  }
}
