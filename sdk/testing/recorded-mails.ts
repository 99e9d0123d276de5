import { type Mail, Mailer } from '../../application/ports/mailer.ts';

/** A verification mail that was recorded instead of sent. */
export interface RecordedMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The verification link in the text; undefined when the configured text contains none. */
  readonly link: string | undefined;
}

const linkIn = (text: string): string | undefined => /https?:\/\/\S+\/verify\?email=\S+/.exec(text)?.[0];

/** A mailer that records mails, oldest first. */
export class MailRecorder extends Mailer {
  readonly mails: RecordedMail[] = [];

  async send({ to, subject, text, html }: Mail): Promise<void> {
    this.mails.push({ to, subject, text, html, link: linkIn(text) });
  }

  async check(): Promise<string> {
    return 'mails are kept in memory';
  }

  async close(): Promise<void> {}
}
