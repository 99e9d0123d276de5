/** A line of a file. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** The line without its end; undefined if it is longer than `maxLineBytes`. */
  readonly content: Buffer | undefined;
  /** The offset of the next line, in bytes from the start of the file. */
  readonly end: number;
}

/** Three times the largest user, for writers that escape every character. */
const maxLineBytes = 1024 * 1024;
const newline = 0x0a;
const carriageReturn = 0x0d;
/** Some systems write it before UTF-8; a reader may ignore it (RFC 8259, section 8.1). */
const byteOrderMark = Buffer.from('\ufeff');

const withoutMark = (line: Buffer): Buffer =>
  line.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? line.subarray(byteOrderMark.length) : line;

/** Splits the chunks of a file into lines. */
class LineSplitter {
  private parts: Buffer[] = [];
  private length = 0;
  private number = 0;
  private bytesRead = 0;

  *push(chunk: Buffer): Generator<Line> {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      this.append(chunk.subarray(from, at));
      this.bytesRead += 1;
      from = at + 1;
      yield this.takeLine();
    }
    this.append(chunk.subarray(from));
  }

  /** The last line, if it has no line end. */
  *rest(): Generator<Line> {
    if (this.length > 0) yield this.takeLine();
  }

  private append(part: Buffer): void {
    this.bytesRead += part.length;
    this.length += part.length;
    if (this.length <= maxLineBytes) this.parts.push(part);
    else this.parts = [];
  }

  private takeLine(): Line {
    const line = this.length > maxLineBytes ? undefined : Buffer.concat(this.parts);
    this.parts = [];
    this.length = 0;
    this.number++;
    const trimmed = line?.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
    const content = trimmed !== undefined && this.number === 1 ? withoutMark(trimmed) : trimmed;
    return { number: this.number, content, end: this.bytesRead };
  }
}

/** Yields the lines of a file one by one, and holds only one of them in memory. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const splitter = new LineSplitter();
  for await (const chunk of chunks) yield* splitter.push(chunk);
  yield* splitter.rest();
}
