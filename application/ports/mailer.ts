import type { EmailAddress } from '../../domain/email-address.ts';
import { Fault } from '../fault.ts';

/** An image that the HTML of a mail shows with `cid:` and its `contentId` (RFC 2392): ASCII letters, digits, hyphens. */
export interface InlineImage {
  readonly contentId: string;
  readonly type: 'image/png' | 'image/jpeg';
  readonly content: Uint8Array;
}

/** A mail to one recipient, with the same content as text and as HTML. */
export interface Mail {
  /**
   * Identifies a mail that may be sent again, in ASCII letters, digits and hyphens: a mailer writes it as the Message-ID
   * if it can, so that mailboxes which know repeated mails by it keep one.
   */
  readonly id?: string;
  readonly to: EmailAddress;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The link that the recipient is asked to open, which both bodies contain; absent if they have a code. */
  readonly link?: string;
  /** A mailer that cannot embed images sends the mail without them; their alternative texts remain. */
  readonly images?: readonly InlineImage[];
}

/** Sends mails from the configured sender. */
export abstract class Mailer {
  /**
   * Resolves when the mail provider has accepted the mail. Throws the Fault `mail_failed` otherwise, with a `refusal` if
   * the provider can be used and only this mail failed: after the provider was told the recipient.
   */
  abstract send(mail: Mail): Promise<void>;

  /** Checks that mails can be sent, without sending one. Resolves with a line for operators; throws `mail_failed`. */
  abstract check(): Promise<string>;

  abstract close(): Promise<void>;
}

/** Used when `email.type` is `none`; no route sends mails then. */
export class DisabledMailer extends Mailer {
  async send(): Promise<void> {
    throw new Fault('mail_failed', 'email is disabled in the configuration');
  }

  async check(): Promise<string> {
    return 'switched off';
  }

  async close(): Promise<void> {}
}
