import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import { issueToken, pauseBeforeMail, withoutMail } from '../../domain/verification.ts';
import { withTimeout } from '../interceptor.ts';
import { anyone, type Caller, type Passwords } from '../passwords/passwords.ts';
import type { Clock } from '../ports/clock.ts';
import type { Mail, Mailer } from '../ports/mailer.ts';
import type { Tokens } from '../ports/tokens.ts';
import type { UseCase } from '../use-case.ts';
import type { OptimisticUpdate } from '../users/optimistic-update.ts';
import type { VerificationMail } from '../users/verification-mail.ts';

export interface SendVerification extends Caller {
  readonly type: 'SendVerification';
  /** Where the service is reached from outside, without a slash at the end: the link in the mail starts with it. */
  readonly baseUrl: string;
}

export type SendVerificationCase = UseCase<SendVerification, Either<Failure, User>>;

/** How long a caller waits to hear that a mail failed while that is being noted, in milliseconds. */
const longestNote = 1_000;

/**
 * Stores a new verification token on a user and mails it. Left: `user_not_found`, `wrong_password`, `too_many_attempts`,
 * `resend_too_soon`, `contended`. Throws the mailer's Fault when the mail can't be sent; the token then stays, and a further command, which
 * may come at once, replaces it. The event is written with the token, before the mail is sent, and stays as well.
 */
export class SendVerificationHandler {
  constructor(
    private readonly change: OptimisticUpdate,
    private readonly passwords: Passwords,
    private readonly clock: Clock,
    private readonly tokens: Tokens,
    private readonly mail: VerificationMail,
    private readonly mailer: Mailer,
    /** How many milliseconds there are between two mails to a user at least; null lets all pass. */
    private readonly resendInterval: number | null,
  ) {}

  async handle({ key, supplied, client, baseUrl }: SendVerification): Promise<Either<Failure, User>> {
    const token = this.tokens.next();
    const changed = await this.change.apply({
      key,
      gate: this.passwords.gate({ key, supplied, client }),
      // Here, where of all who ask at once only one is the first to write.
      transition: (user) => this.issued(user, token),
      event: 'verification.sent',
      whenContended: 'contended',
    });
    if (isLeft(changed)) return changed;
    await this.send(key, token, this.mail.to(changed.right.email.address, token, baseUrl));
    return changed;
  }

  private issued(user: User, token: string): Either<Failure, User> {
    const now = this.clock.now();
    const pause = this.resendInterval === null ? 0 : pauseBeforeMail(user, this.resendInterval, now);
    if (pause === 0) return right(issueToken(user, token, now));
    return left({ code: 'resend_too_soon', retryAfterSeconds: Math.ceil(pause / 1000) });
  }

  private async send(key: EmailKey, token: string, mail: Mail): Promise<void> {
    try {
      await this.mailer.send(mail);
    } catch (fault) {
      if (this.resendInterval !== null) await this.forgetMail(key, token);
      throw fault;
    }
  }

  /** Lets the next mail be asked for at once. It never fails: the caller is to hear of the mail. */
  private async forgetMail(key: EmailKey, token: string): Promise<void> {
    const forgotten = this.change.apply({
      key,
      gate: anyone,
      transition: (user) => right(user.email.verificationToken === token ? withoutMail(user) : user),
      // Nothing that the user, or anybody else, would notice.
      event: null,
      whenContended: 'contended',
    });
    await withTimeout(longestNote, forgotten, () => new Error('too late')).catch(() => undefined);
  }
}
