import { Fault } from '../../../application/fault.ts';
import { type Mail, Mailer } from '../../../application/ports/mailer.ts';
import { MailFolder } from './mail-folder.ts';
import { compose } from './mime.ts';

/** Keeps every mail as a file instead of sending it. */
export class OutboxMailer extends Mailer {
  private readonly folder: MailFolder;

  /** `sender` is an address, with a display name if wanted; `directory` need not exist. */
  constructor(
    readonly directory: string,
    private readonly sender: string,
  ) {
    super();
    this.folder = new MailFolder(directory);
  }

  async send(mail: Mail): Promise<void> {
    try {
      await this.folder.add(await compose(this.sender, mail));
    } catch (cause) {
      throw this.failed('can not write a mail', cause);
    }
  }

  /** Proves that the folder takes files, with one that it removes again. */
  async check(): Promise<string> {
    try {
      await this.folder.probe();
    } catch (cause) {
      throw this.failed('can not write', cause);
    }
    return `mails become files in ${this.directory}`;
  }

  async close(): Promise<void> {}

  private failed(what: string, cause: unknown): Fault {
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    return new Fault('mail_failed', `${what} to the outbox ${this.directory}${code}`, { cause });
  }
}
