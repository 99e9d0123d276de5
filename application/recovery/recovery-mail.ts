import type { EmailAddress } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import type { LocaleChoice, MailQueue } from '../outgoing/mail-queue.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';

/** A token that was issued, with the time at which it expires, in milliseconds since the epoch. */
export interface IssuedToken {
  readonly token: string;
  readonly expires: number;
}

/** Returns what the recipient opens or enters: a link with the token, or the code itself. */
export type RecoverySecret = (address: EmailAddress, token: string) => string;

/** Queues the mails with which users replace a forgotten password. */
export class RecoveryMail {
  constructor(
    private readonly queue: MailQueue,
    private readonly localeOf: LocaleChoice,
    private readonly secretOf: RecoverySecret,
  ) {}

  /** The mail to a user; `languages` are those of the request, in order of preference. */
  to(user: User, { token, expires }: IssuedToken, languages: readonly string[]): QueuedEvent {
    const { address } = user.email;
    const locale = this.localeOf(user, languages);
    return this.queue.prepare({
      kind: 'recovery',
      to: address,
      locale,
      secret: this.secretOf(address, token),
      expires,
    });
  }
}
