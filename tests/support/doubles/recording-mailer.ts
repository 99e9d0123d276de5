import { Fault } from '../../../application/fault.ts';
import { type Mail, Mailer } from '../../../application/ports/mailer.ts';

/** Records mails instead of sending them. */
export class RecordingMailer extends Mailer {
  readonly mails: Mail[] = [];
  /** Whether `send` throws. */
  failing = false;
  /** Runs during `send`. */
  whileSending: () => Promise<unknown> = async () => {};

  async send(mail: Mail): Promise<void> {
    const { failing } = this;
    await this.whileSending();
    if (failing) throw new Fault('mail_failed', 'the mail provider refused the mail');
    this.mails.push(mail);
  }

  async check(): Promise<string> {
    return 'mails are recorded';
  }

  async close(): Promise<void> {}
}
