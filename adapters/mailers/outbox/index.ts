import { Fault } from '../../../application/fault.ts';
import { type Mail, Mailer } from '../../../application/ports/mailer.ts';
import { senderAddress } from '../../kit/addresses.ts';
import { defineAdapter } from '../../kit/definition.ts';
import { block, withDefault } from '../../kit/option-block.ts';
import { text } from '../../kit/option-codecs.ts';
import { EmlWriter } from './eml-writer.ts';

/** Writes mails to `.eml` files instead of sending them. */
export class OutboxMailer extends Mailer {
  private readonly writer: EmlWriter;

  /** `from` is an address with an optional display name. The directory is created when it is missing. */
  constructor(
    readonly directory: string,
    from: string,
  ) {
    super();
    this.writer = new EmlWriter(directory, from);
  }

  async send(mail: Mail): Promise<void> {
    try {
      await this.writer.write(mail);
    } catch (cause) {
      throw this.fault('cannot write a mail', cause);
    }
  }

  async check(): Promise<string> {
    try {
      await this.writer.probe();
    } catch (cause) {
      throw this.fault('cannot write', cause);
    }
    return `mails are written to files in ${this.directory}`;
  }

  async close(): Promise<void> {}

  private fault(problem: string, cause: unknown): Fault {
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    return new Fault('mail_failed', `${problem} to the outbox ${this.directory}${code}`, { cause });
  }
}

export const outbox = defineAdapter({
  type: 'outbox',
  configuration: block({
    directory: withDefault(
      text,
      './data/outbox',
      'The directory for the mails, one file per mail; created when it is missing.',
    ),
    fromAddress: withDefault(senderAddress, 'latchkey@localhost', 'Sender address of the emails.'),
  }),
  open: async ({ directory, fromAddress }): Promise<Mailer> => new OutboxMailer(directory, fromAddress),
});
