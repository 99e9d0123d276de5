import type { FieldError } from '../../domain/failure.ts';

/** The text of one user in a file. */
export interface ImportRecord {
  /** Counted from 1. */
  readonly number: number;
  /** The text of a JSON object, or malformed text; undefined with a `problem`, or if it is longer than `maxRecordBytes`. */
  readonly content: Buffer | undefined;
  /** Why the file cannot be read at this place. Other records are not affected. No error contains a value. */
  readonly problem?: { readonly code: 'invalid_csv'; readonly errors: readonly FieldError[] };
  /** Whether the file does not tell the texts that users chose from its own rows, so that a name can forge a user. */
  readonly isForgeable?: boolean;
  /** The offset of the next record, in bytes from the start of the file. */
  readonly end: number;
}

/** The file cannot be read any further. The message names the line and the broken rule, and contains no value. */
export class UnreadableExport extends Error {}

/** Three times the largest user, for writers that escape every character. */
export const maxRecordBytes = 1024 * 1024;
/** Longer than every `listName`; further characters of a name are not kept. */
const maxNameLength = 64;
/** Some systems write it before UTF-8; a reader may ignore it (RFC 8259, section 8.1). */
const byteOrderMark: ReadonlySet<number> = new Set(Buffer.from('\ufeff'));
const malformed = Buffer.from('?');

const byteOf = (character: string): number => character.charCodeAt(0);
const quote = byteOf('"');
const backslash = byteOf('\\');
const colon = byteOf(':');
const comma = byteOf(',');
const newline = byteOf('\n');
const openObject = byteOf('{');
const closeObject = byteOf('}');
const openList = byteOf('[');
const closeList = byteOf(']');
const blanks: ReadonlySet<number> = new Set([byteOf(' '), byteOf('\t'), byteOf('\r'), newline]);

/**
 * Finds the objects in a JSON document that are records: the elements of its outermost list, or of the member
 * `listName` of its outermost object, or else the outermost objects themselves, as in JSON Lines.
 *
 * Yields their text, because a JSON library would yield values, which do not keep numbers as they are written.
 */
class RecordSplitter {
  private number = 0;
  private bytesRead = 0;
  private depth = 0;
  /** The depth at which an object is a record; undefined in the outermost object after its list. */
  private recordDepth: number | undefined = 0;
  private isString = false;
  private isEscaped = false;
  /** The last string of the outermost object, which is the name of a member when a colon follows. */
  private name = '';
  /** The parts of the open record from earlier chunks; undefined outside of a record. */
  private parts: Buffer[] | undefined;
  private length = 0;
  /** Whether other text was found where a record was expected. */
  private isMalformed = false;

  constructor(private readonly listName: string) {}

  *push(chunk: Buffer): Generator<ImportRecord> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.isString) this.stepInString(byte);
      else if (byte === openObject || byte === openList) {
        if (this.isMalformed) yield this.take(malformed, at);
        if (this.open(byte)) from = at;
      } else if (byte === closeObject || byte === closeList) {
        // Brackets that close nothing are one malformed record, not one each.
        if (this.isMalformed && this.depth > 0) yield this.take(malformed, at);
        if (this.close()) {
          this.append(chunk.subarray(from, at + 1));
          yield this.take(this.content(), at + 1);
        }
      } else if (byte === comma || byte === newline) {
        if (this.isMalformed) yield this.take(malformed, at);
        if (byte === comma) this.name = '';
      } else if (!blanks.has(byte) && !this.isByteOrderMark(byte, at)) this.stepInScalar(byte);
    }
    if (this.parts !== undefined) this.append(chunk.subarray(from));
    this.bytesRead += chunk.length;
  }

  /** Yields a malformed record if the file ends within a record. */
  *rest(): Generator<ImportRecord> {
    if (this.isMalformed || this.isString || this.depth > 0) yield this.take(malformed, 0);
  }

  private isByteOrderMark(byte: number, at: number): boolean {
    return this.bytesRead + at < byteOrderMark.size && byteOrderMark.has(byte);
  }

  private stepInString(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === backslash) this.isEscaped = true;
    else if (byte === quote) this.isString = false;
    else if (this.depth === 1 && this.name.length < maxNameLength) this.name += String.fromCharCode(byte);
  }

  private stepInScalar(byte: number): void {
    if (byte === quote) {
      this.isString = true;
      this.name = '';
    }
    if (this.depth === this.recordDepth && byte !== colon) this.isMalformed = true;
  }

  /** Returns whether a record starts. */
  private open(byte: number): boolean {
    const isRecord = byte === openObject && this.depth === this.recordDepth;
    if (byte === openList && this.depth === 0) this.recordDepth = 1;
    if (byte === openList && this.depth === 1 && this.recordDepth === 0 && this.name === this.listName) {
      this.recordDepth = 2;
      this.parts = undefined;
    }
    this.depth++;
    if (!isRecord) return false;
    this.parts = [];
    this.length = 0;
    return true;
  }

  /** Returns whether the open record ends. */
  private close(): boolean {
    if (this.depth > 0) this.depth--;
    else this.isMalformed = true;
    const isRecord = this.parts !== undefined && this.depth === this.recordDepth;
    if (this.depth === 0) this.recordDepth = 0;
    else if (this.depth === 1 && this.recordDepth === 2) this.recordDepth = undefined;
    return isRecord;
  }

  private append(part: Buffer): void {
    this.length += part.length;
    if (this.length <= maxRecordBytes) this.parts?.push(part);
    else this.parts = [];
  }

  private content(): Buffer | undefined {
    return this.length > maxRecordBytes ? undefined : Buffer.concat(this.parts ?? []);
  }

  private take(content: Buffer | undefined, consumed: number): ImportRecord {
    this.parts = undefined;
    this.isMalformed = false;
    this.number++;
    return { number: this.number, content, end: this.bytesRead + consumed };
  }
}

/** Yields the records of a JSON document or of JSON Lines one by one, and holds only one of them in memory. */
export async function* jsonRecords(chunks: AsyncIterable<Buffer>, listName: string): AsyncGenerator<ImportRecord> {
  const splitter = new RecordSplitter(listName);
  for await (const chunk of chunks) yield* splitter.push(chunk);
  yield* splitter.rest();
}
