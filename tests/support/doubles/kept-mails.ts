import { Fault } from '../../../application/fault.ts';
import { type Mail, Mailer } from '../../../application/ports/mailer.ts';

/** A mailer that keeps its mails for the test to read, or fails while it is broken. */
export class KeptMails extends Mailer {
  readonly mails: Mail[] = [];
  broken = false;
  /** Runs while a mail is on its way. */
  meanwhile: () => Promise<unknown> = async () => {};

  async send(mail: Mail): Promise<void> {
    const { broken } = this;
    await this.meanwhile();
    if (broken) throw new Fault('mail_failed', 'the mail provider refused the mail');
    this.mails.push(mail);
  }

  async check(): Promise<string> {
    return 'mails are kept in memory';
  }

  async close(): Promise<void> {}
}
