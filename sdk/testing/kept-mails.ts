import { type Mail, Mailer } from '../../application/ports/mailer.ts';

/** A verification mail that the service would have sent. */
export interface KeptMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The link to follow, as it stands in the text; undefined when the text of the configuration has none. */
  readonly link: string | undefined;
}

const linkIn = (text: string): string | undefined => /https?:\/\/\S+\/verify\?email=\S+/.exec(text)?.[0];

/** Keeps mails in an array instead of sending them, oldest first. */
export class KeptMails extends Mailer {
  readonly mails: KeptMail[] = [];

  async send({ to, subject, text, html }: Mail): Promise<void> {
    this.mails.push({ to, subject, text, html, link: linkIn(text) });
  }

  async check(): Promise<string> {
    return 'mails are kept in memory';
  }

  async close(): Promise<void> {}
}
