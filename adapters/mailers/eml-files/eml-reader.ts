import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Attachment } from 'postal-mime';
import { singleFlight } from '../../concurrency/shared-call.ts';

interface MailSummary {
  /** The file name without its extension. */
  readonly id: string;
  /** The recipients, separated by commas. */
  readonly to: string;
  readonly subject: string;
  /** The Date header; undefined if it is missing. */
  readonly time: Date | undefined;
}

interface ParsedMail extends MailSummary {
  readonly from: string;
  readonly text: string;
  /** Empty if the mail has no HTML part. */
  readonly html: string;
  /** The link that the recipient is asked to open; undefined if the file names none. */
  readonly link: string | undefined;
}

const maxListed = 200;
/** The list needs only the headers of each mail. */
const maxHeaderBytes = 64 * 1024;
const maxMailBytes = 8 * 1024 * 1024;
/** The longest HTML with images, in characters. */
const maxShownLength = 2 * maxMailBytes;

/** The header field in which an EmlFileMailer writes the link of a mail: its text may have others. */
export const linkField = 'X-Latchkey-Link';

const extension = '.eml';
/** The beginning of the names that EmlFileMailer creates, which sort by time. */
const timestampedName = /^\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z-/;

/** Newest mails first, then files that other programs created. */
const compareNames = (one: string, other: string): number => {
  const isTimestamped = [timestampedName.test(one), timestampedName.test(other)] as const;
  if (isTimestamped[0] !== isTimestamped[1]) return isTimestamped[0] ? -1 : 1;
  return one < other ? 1 : -1;
};

/** Reads until the buffer is full or the file ends. */
const readInto = async (file: FileHandle, buffer: Buffer): Promise<Buffer> => {
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
  }
};

/** The headers of a message (RFC 5322, section 2.1); the whole message if no empty line ends them. */
const headersOf = (message: Buffer): Buffer => {
  const end = message.indexOf('\r\n\r\n');
  return end < 0 ? message : message.subarray(0, end);
};

/** Replaces links to embedded images (RFC 2392) by data URLs, because a browser shows the HTML without the mail. */
const withImages = (html: string, attachments: readonly Attachment[]): string =>
  attachments.reduce((shown, { contentId, mimeType, content }) => {
    if (contentId === undefined || !mimeType.startsWith('image/')) return shown;
    const data = Buffer.from(typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content));
    const url = `data:${mimeType};base64,${data.toString('base64')}`;
    const parts = shown.split(`cid:${contentId.slice(1, -1)}`);
    // An image that a mail shows too often is left out, because each place holds a copy of it.
    return shown.length + (parts.length - 1) * url.length > maxShownLength ? shown : parts.join(url);
  }, html);

const nameAndAddress = (name: string, address: string): string => (name === '' ? address : `${name} <${address}>`);

/** Parses a message; undefined if it has no recipient. Loads the parser on first use. */
const parse = async (id: string, message: Buffer): Promise<ParsedMail | undefined> => {
  const { default: PostalMime } = await import('postal-mime');
  const { from, to, subject, date, text, html, attachments, headers } = await PostalMime.parse(message);
  if (to === undefined || to.length === 0) return undefined;
  const time = new Date(date ?? Number.NaN);
  return {
    id,
    from: nameAndAddress(from?.name ?? '', from?.address ?? ''),
    to: to.map(({ address, name }) => address ?? name).join(', '),
    subject: subject ?? '',
    time: Number.isNaN(time.getTime()) ? undefined : time,
    text: text ?? '',
    html: withImages(html ?? '', attachments),
    link: headers.find(({ key }) => key === linkField.toLowerCase())?.value,
  };
};

/** Reads the `.eml` files of a directory for the page that shows them. */
export class EmlReader {
  constructor(private readonly directory: string) {}

  /**
   * The newest 200 mails, newest first; empty if the directory is missing. Skips files that are not mails or are deleted
   * meanwhile. Throws the file system error if the directory cannot be read. Concurrent calls share a scan, which takes
   * about 30 ms, but none that began before them.
   */
  readonly list = singleFlight(async (): Promise<readonly MailSummary[]> => {
    const mails = await Promise.all((await this.ids()).map((id) => this.read(id, maxHeaderBytes, headersOf)));
    return mails.filter((mail) => mail !== undefined);
  });

  /** The mails of the list with their bodies, one after the other, because each may be large. Throws as `list` does. */
  readonly readAll = singleFlight(async () => {
    const mails: ParsedMail[] = [];
    for (const id of await this.ids()) {
      const mail = await this.read(id, maxMailBytes, (message) => message);
      if (mail !== undefined) mails.push(mail);
    }
    return mails;
  });

  /** A mail of the list; undefined if the list does not contain it. Throws as `list` does. */
  async find(id: string): Promise<ParsedMail | undefined> {
    // Only names that the directory listing returned are opened, so that no id is a path to another file.
    const known = (await this.ids()).find((name) => name === id);
    return known === undefined ? undefined : this.read(known, maxMailBytes, (message) => message);
  }

  private async ids(): Promise<readonly string[]> {
    try {
      const entries = await readdir(this.directory, { withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile() && entry.name.endsWith(extension) && !entry.name.startsWith('.'))
        .map(({ name }) => name.slice(0, -extension.length))
        .sort(compareNames)
        .slice(0, maxListed);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  }

  private async read(
    id: string,
    maxBytes: number,
    select: (message: Buffer) => Buffer,
  ): Promise<ParsedMail | undefined> {
    try {
      const file = await open(join(this.directory, id + extension));
      try {
        const { size } = await file.stat();
        const message = await readInto(file, Buffer.alloc(Math.min(size, maxBytes)));
        return await parse(id, select(message));
      } finally {
        await file.close();
      }
    } catch {
      // The file was deleted meanwhile, or is not readable.
      return undefined;
    }
  }
}
