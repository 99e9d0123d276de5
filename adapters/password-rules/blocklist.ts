import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { KnownPasswords } from '../../application/ports/password-quality.ts';
import { BloomFilter } from './bloom-filter.ts';

const newline = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const byteOrderMark = Buffer.from('\ufeff');

/** Longer lines are skipped, and so are lines with a zero byte, such as those of UTF-16. */
const maxLineBytes = 1024;

/** The size of a read. Its lines are added without yielding to the event loop, in about a millisecond. */
const chunkBytes = 8 * 1024;

const sha1Length = 40;
const ntlmLength = 32;
const sha1Line = /^[0-9a-f]{40}(:\d+)?[ \t]*$/i;
/**
 * Lines of hashes that can't be compared: SHA-1 followed by anything but a count, and the NTLM hashes of Have I Been
 * Pwned.
 */
const foreignLine = /^([0-9a-f]{40}:.*|[0-9a-f]{32}:\d+[ \t]*)$/i;

/** The size of a list, and how many of its lines were skipped. */
interface ListSize {
  /** The passwords in the list, repeated ones included. */
  readonly passwords: number;
  /** The lines that are neither empty nor a password: too long, not UTF-8, with a zero byte, or another kind of hash. */
  readonly skipped: number;
  /** The memory of the list. */
  readonly bytes: number;
}

/** The file is not a list of passwords. The message names the reason. */
export class UnusableList extends Error {}

const digestOf = (password: string | Buffer): Buffer => hash('sha1', password, 'buffer');

/** The SHA-1 digest of the password on a line; undefined if there is none. */
const digestIn = (line: Buffer): Buffer | undefined => {
  const { length } = line;
  if (length === sha1Length || line[sha1Length] === colon || line[ntlmLength] === colon) {
    const text = line.toString('latin1');
    if (sha1Line.test(text)) return Buffer.from(text.slice(0, sha1Length), 'hex');
    if (foreignLine.test(text)) return undefined;
  }
  return length <= maxLineBytes && isUtf8(line) && !line.includes(0) ? digestOf(line) : undefined;
};

/** Calls `visit` with each line that is not empty, without its end. Longer lines than `maxLineBytes` are cut to one byte more. */
const forEachLine = async (file: FileHandle, visit: (line: Buffer) => void): Promise<void> => {
  let isFirst = true;
  const visitLine = (line: Buffer): void => {
    const from = isFirst && line.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : 0;
    isFirst = false;
    const end = line.length - (line.at(-1) === carriageReturn ? 1 : 0);
    if (end > from) visit(line.subarray(from, end));
  };
  let rest: Buffer = Buffer.alloc(0);
  const stream = file.createReadStream({ start: 0, autoClose: false, highWaterMark: chunkBytes });
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('a stream without an encoding gives buffers');
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      const part = chunk.subarray(from, at);
      visitLine(rest.length === 0 ? part : Buffer.concat([rest, part]));
      rest = Buffer.alloc(0);
      from = at + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]).subarray(0, maxLineBytes + 2);
  }
  if (rest.length > 0) visitLine(rest);
};

interface Content extends ListSize {
  readonly filter: BloomFilter;
}

/** Reads a file twice, to count its lines and to add them, with one chunk of it in memory. */
const read = async (path: string): Promise<Content> => {
  const file = await open(path);
  try {
    if (!(await file.stat()).isFile()) throw new UnusableList('expected a regular file');
    let lines = 0;
    await forEachLine(file, () => {
      lines++;
    });
    const filter = new BloomFilter(lines);
    let passwords = 0;
    let skipped = 0;
    await forEachLine(file, (line) => {
      const digest = digestIn(line);
      if (digest === undefined) skipped++;
      else {
        passwords++;
        filter.add(digest);
      }
    });
    if (passwords === 0) throw new UnusableList('the file has no line with a password or with SHA1:COUNT in UTF-8');
    return { filter, passwords, skipped, bytes: filter.sizeBytes };
  } finally {
    await file.close();
  }
};

/**
 * The passwords of a file: each line is a password, or `SHA1:COUNT` as in the files of Have I Been Pwned. Passwords are
 * compared by their SHA-1 digests in a filter of two bytes a line, so that 0.05 % of other passwords count as listed.
 */
export class Blocklist extends KnownPasswords {
  private constructor(private readonly content: Content) {
    super();
  }

  /** Rejects with UnusableList, or with the error of the file system. */
  static async open(path: string): Promise<Blocklist> {
    return new Blocklist(await read(path));
  }

  get size(): ListSize {
    const { passwords, skipped, bytes } = this.content;
    return { passwords, skipped, bytes };
  }

  has(password: string): boolean {
    return this.content.filter.has(digestOf(password));
  }
}
