import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mail } from '../../../application/ports/mailer.ts';

/** Loaded with the first mail, so that the service starts faster. */
const createComposer = async () => {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
};

// A line has at most 998 bytes (RFC 5322, section 2.1.1), and a UTF-16 code unit takes at most three bytes.
const needsEncoding = /\r(?!\n)|[^\n]{330}|\0/;

/** The text is not encoded if its lines are short enough, so that the link can be copied from the file. */
const textPart = (text: string): string | { readonly raw: string } =>
  needsEncoding.test(text)
    ? text
    : { raw: `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${text}` };

/** Writes mails as MIME messages (RFC 5322) to `.eml` files that only their owner can read. */
export class EmlWriter {
  private latestTime = 0;
  private written = 0;

  constructor(
    private readonly directory: string,
    private readonly from: string,
  ) {}

  /** Resolves when the complete file is on disk under its name; throws the file system error. */
  async write({ to, subject, text, html }: Mail): Promise<void> {
    const composer = await createComposer();
    const recipient = { name: '', address: to };
    const mail = { from: this.from, to: recipient, subject, text: textPart(text), html };
    const { message } = await composer.sendMail(mail);
    if (!Buffer.isBuffer(message)) throw new TypeError('nodemailer returned no buffer');
    const name = this.nextName();
    const temporary = await this.writeTemporary(name, message);
    try {
      await rename(temporary, join(this.directory, name));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** Writes a file and deletes it; throws the file system error. */
  async probe(): Promise<void> {
    await rm(await this.writeTemporary(this.nextName(), Buffer.from('writable\n')));
  }

  /** Creates the directory each time, because it can be deleted to empty the outbox. */
  private async writeTemporary(name: string, content: Buffer): Promise<string> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
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
    this.latestTime = Math.max(this.latestTime, Date.now());
    this.written += 1;
    const time = new Date(this.latestTime).toISOString().replaceAll(':', '');
    return `${time}-${String(this.written).padStart(9, '0')}-${randomBytes(6).toString('hex')}.eml`;
  }
}
