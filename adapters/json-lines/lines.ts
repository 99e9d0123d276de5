/** A line of a file. */
export interface Line {
  /** The first one is 1. */
  readonly number: number;
  /** Without its end; undefined when it is longer than any user. */
  readonly content: Buffer | undefined;
  /** Where the next one begins, in bytes from the start of the file. */
  readonly end: number;
}

/** The longest line that is read, in bytes: three times the largest user, for those who write every character as an escape. */
const longest = 1024 * 1024;
const newline = 0x0a;
const carriageReturn = 0x0d;
/** What some systems put before UTF-8 (RFC 8259, section 8.1: a reader may leave it out). */
const byteOrderMark = Buffer.from('\ufeff');

const withoutMark = (line: Buffer): Buffer =>
  line.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? line.subarray(byteOrderMark.length) : line;

/** Takes the bytes of a file as they come, and gives away whole lines. */
class Splitter {
  private parts: Buffer[] = [];
  private length = 0;
  private number = 0;
  private read = 0;

  *push(chunk: Buffer): Generator<Line> {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      this.keep(chunk.subarray(from, at));
      this.read += 1;
      from = at + 1;
      yield this.line();
    }
    this.keep(chunk.subarray(from));
  }

  /** The last line, when it has no end. */
  *rest(): Generator<Line> {
    if (this.length > 0) yield this.line();
  }

  private keep(part: Buffer): void {
    this.read += part.length;
    this.length += part.length;
    if (this.length <= longest) this.parts.push(part);
    else this.parts = [];
  }

  private line(): Line {
    const whole = this.length > longest ? undefined : Buffer.concat(this.parts);
    this.parts = [];
    this.length = 0;
    this.number++;
    const ended = whole?.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
    const content = ended !== undefined && this.number === 1 ? withoutMark(ended) : ended;
    return { number: this.number, content, end: this.read };
  }
}

/** The lines of a stream of bytes, one after the other: it holds one of them at a time. */
export async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const splitter = new Splitter();
  for await (const chunk of bytes) yield* splitter.push(chunk);
  yield* splitter.rest();
}
