import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../application/fault.ts';
import { type Mail, Mailer } from '../../../application/ports/mailer.ts';
import { senderAddress } from '../../kit/address-codecs.ts';
import { defineAdapter } from '../../kit/definition.ts';
import { canCreate, createFolder } from '../../kit/file-creation.ts';
import { block, withDefault } from '../../kit/option-block.ts';
import { text } from '../../kit/option-codecs.ts';
import { systemClock } from '../../system-clock.ts';
import { inlineAttachments, mimeMessageOf } from '../mime-message.ts';
import { EmlReader, linkField } from './eml-reader.ts';

// A line has at most 998 bytes (RFC 5322, section 2.1.1), and a UTF-16 code unit takes at most three bytes.
const needsEncoding = /\r(?!\n)|[^\n]{330}|\0/;

/** The text is not encoded if its lines are short enough, so that the link can be copied from the file. */
const textPart = (text: string): string | { readonly raw: string } =>
  needsEncoding.test(text)
    ? text
    : { raw: `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${text}` };

/** Writes mails as MIME messages (RFC 5322) to `.eml` files, instead of sending them. Only the owner can read the files. */
export class EmlFileMailer extends Mailer {
  private latestTime = 0;
  private written = 0;

  /**
   * `from` is an address with an optional display name. The directory is created when it is missing, but not by a check
   * with `readOnly`.
   */
  constructor(
    readonly directory: string,
    private readonly from: string,
    private readonly clock = systemClock,
    private readonly readOnly = false,
  ) {
    super();
  }

  /** Resolves when the complete file is on disk under its name. */
  async send(mail: Mail): Promise<void> {
    try {
      await this.write(mail);
    } catch (cause) {
      throw this.fault('cannot write a mail', cause);
    }
  }

  /** Writes a file and deletes it. */
  async check(): Promise<string> {
    const line = `mails are written to files in ${this.directory}`;
    if (this.readOnly && !existsSync(this.directory)) {
      if (canCreate(this.directory)) return `${line}, which does not exist yet; the service creates it`;
      throw new Fault('mail_failed', `the outbox ${this.directory} does not exist, and this user may not create it`);
    }
    try {
      await rm(await this.writeTemporary(this.nextName(), Buffer.from('writable\n')));
    } catch (cause) {
      throw this.fault('cannot write', cause);
    }
    return line;
  }

  async close(): Promise<void> {}

  private async write({ to, subject, text, html, link, images = [] }: Mail): Promise<void> {
    const date = new Date(this.clock.now());
    const content = { date, subject, text: textPart(text), html, attachments: inlineAttachments(images) };
    const headers = link === undefined ? {} : { [linkField]: link };
    const message = await mimeMessageOf(to, { from: this.from, headers, ...content });
    const name = this.nextName();
    const temporary = await this.writeTemporary(name, message);
    try {
      await rename(temporary, join(this.directory, name));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** Creates the directory each time, because it can be deleted to remove all mails. */
  private async writeTemporary(name: string, content: Buffer): Promise<string> {
    createFolder(this.directory);
    const path = join(this.directory, `.${name}.tmp`);
    try {
      await writeFile(path, content, { mode: 0o600, flag: 'wx', flush: true });
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    return path;
  }

  /** Names sort in the order of the mails of this process. The random suffix makes them unique among processes. */
  private nextName(): string {
    this.latestTime = Math.max(this.latestTime, this.clock.now());
    this.written += 1;
    const time = new Date(this.latestTime).toISOString().replaceAll(':', '');
    return `${time}-${String(this.written).padStart(9, '0')}-${randomBytes(6).toString('hex')}.eml`;
  }

  private fault(problem: string, cause: unknown): Fault {
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    return new Fault('mail_failed', `${problem} to the outbox ${this.directory}${code}`, { cause });
  }
}

export const emlFiles = defineAdapter({
  type: 'outbox',
  configuration: block({
    directory: withDefault(text, './data/outbox', 'The folder of the mails, one file each; created if missing.'),
    fromAddress: withDefault(senderAddress, 'latchkey@localhost', 'The sender.'),
  }),
  open: async ({ directory, fromAddress }, { clock, readOnly }): Promise<Mailer> =>
    new EmlFileMailer(directory, fromAddress, clock, readOnly),
});

/** Reads the mails that a mailer writes; undefined for one that writes no files, as in a test. */
export const readerOf = (mailer: Mailer): EmlReader | undefined =>
  mailer instanceof EmlFileMailer ? new EmlReader(mailer.directory) : undefined;
