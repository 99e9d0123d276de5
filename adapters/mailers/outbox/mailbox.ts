import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { singleFlight } from '../../kit/single-flight.ts';

/** What a list shows of a mail. */
interface MailSummary {
  /** The name of its file without the ending. */
  readonly id: string;
  /** The recipients, separated by commas. */
  readonly to: string;
  readonly subject: string;
  /** When it was written; undefined when it does not say so. */
  readonly time: Date | undefined;
}

interface ReadMail extends MailSummary {
  readonly from: string;
  readonly text: string;
  /** Empty when the mail has text only. */
  readonly html: string;
}

/** How many mails are read: the newest ones. */
const most = 200;
/** How much is read of a file, in bytes: for a list only its headers are wanted. */
const largestHead = 64 * 1024;
const largestMail = 8 * 1024 * 1024;

const ending = '.eml';
/** How the names of this mailer's own files begin, so that they sort by time. */
const ownName = /^\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z-/;

/** The newest first; files that somebody else put there come last. */
const newestFirst = (one: string, other: string): number => {
  const isOwn = [ownName.test(one), ownName.test(other)] as const;
  if (isOwn[0] !== isOwn[1]) return isOwn[0] ? -1 : 1;
  return one < other ? 1 : -1;
};

/** Reads until the buffer is full or the file ends. */
const filled = async (file: FileHandle, buffer: Buffer): Promise<Buffer> => {
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
  }
};

/** The headers of a message (RFC 5322, section 2.1); all of it when it never ends them. */
const headersOf = (message: Buffer): Buffer => {
  const end = message.indexOf('\r\n\r\n');
  return end < 0 ? message : message.subarray(0, end);
};

/** Loaded by the first look: most services never have one. */
const parsed = async (id: string, message: Buffer): Promise<ReadMail | undefined> => {
  const { default: PostalMime } = await import('postal-mime');
  const { from, to, subject, date, text, html } = await PostalMime.parse(message);
  // Whatever it is, it is not addressed to anybody.
  if (to === undefined || to.length === 0) return undefined;
  const time = new Date(date ?? Number.NaN);
  return {
    id,
    from: from?.address ?? '',
    to: to.map(({ address, name }) => address ?? name).join(', '),
    subject: subject ?? '',
    time: Number.isNaN(time.getTime()) ? undefined : time,
    text: text ?? '',
    html: html ?? '',
  };
};

/** Reads the `.eml` files of a folder, for a person to look at. */
export class Mailbox {
  constructor(private readonly directory: string) {}

  /**
   * The newest 200 mails, the newest first. Files that are no mails stay out, and so do those that go away meanwhile.
   * A folder that is not there has none; throws the error of the file system when it can't be read. The folder is read
   * once for all who ask at the same time, because that takes some 30 ms.
   */
  readonly list = singleFlight(() => this.readAll());

  private async readAll(): Promise<readonly MailSummary[]> {
    const mails = await Promise.all((await this.ids()).map((id) => this.read(id, largestHead, headersOf)));
    return mails.filter((mail) => mail !== undefined);
  }

  /** A mail of the list; undefined when it has no such mail. Throws as `list` does. */
  async find(id: string): Promise<ReadMail | undefined> {
    // Only a name that the folder itself gave becomes a path.
    const known = (await this.ids()).find((name) => name === id);
    return known === undefined ? undefined : this.read(known, largestMail, (message) => message);
  }

  private async ids(): Promise<readonly string[]> {
    try {
      const entries = await readdir(this.directory, { withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile() && entry.name.endsWith(ending) && !entry.name.startsWith('.'))
        .map(({ name }) => name.slice(0, -ending.length))
        .sort(newestFirst)
        .slice(0, most);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  }

  private async read(id: string, largest: number, part: (message: Buffer) => Buffer): Promise<ReadMail | undefined> {
    try {
      const file = await open(join(this.directory, id + ending));
      try {
        const { size } = await file.stat();
        const message = await filled(file, Buffer.alloc(Math.min(size, largest)));
        return await parsed(id, part(message));
      } finally {
        await file.close();
      }
    } catch {
      // Removed meanwhile, or nothing that this process may read.
      return undefined;
    }
  }
}
