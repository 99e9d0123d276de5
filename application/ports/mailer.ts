import type { EmailAddress } from '../../domain/email-address.ts';

/** A mail to one person, with the same content as text and as HTML. */
export interface Mail {
  readonly to: EmailAddress;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Sends mails from the configured sender. */
export abstract class Mailer {
  /** Resolves when the provider has taken the mail; throws a Fault `mail_failed` otherwise. */
  abstract send(mail: Mail): Promise<void>;

  /** Resolves with a line for operators when mails can be sent, without sending one; throws a Fault otherwise. */
  abstract check(): Promise<string>;

  abstract close(): Promise<void>;
}
