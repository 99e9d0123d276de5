import { type ImportRecord, maxRecordBytes, UnreadableExport } from './json-records.ts';

interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Without the line feed. */
  readonly text: string;
  /** How many bytes of the file were read with it. */
  readonly end: number;
}

/** Yields the lines of a file; of one that is too long, only as much as shows it. Throws UnreadableExport. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  // Not replaced silently: a letter of another encoding would change a name.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let number = 0;
  let end = 0;
  try {
    for await (const chunk of chunks) {
      end += chunk.length;
      const texts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = (texts.pop() ?? '').slice(0, maxRecordBytes + 1);
      for (const text of texts) yield { number: ++number, text, end };
    }
    rest += decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new UnreadableExport('the file is not encoded in UTF-8');
    throw error;
  }
  if (rest !== '') yield { number: ++number, text: rest, end };
}

/** Text in quotes, in which two quotes stand for one, up to the closing quote or the end of the line. */
const quotedText = /[^"]*(?:""[^"]*)*/y;

/** A row of comma-separated values (RFC 4180). It takes further lines while a cell in quotes is open. */
class Row {
  readonly lines: Line[] = [];
  readonly cells: string[] = [];
  private length = 0;
  /** The text so far of the cell whose closing quote is missing. */
  private quoted: string | undefined;

  constructor(private readonly maxCells: number) {}

  add(line: Line): 'open' | 'complete' | 'malformed' {
    this.lines.push(line);
    this.length += line.text.length;
    const text = line.text.replace(/\r$/, '');
    for (let at = 0; this.length <= maxRecordBytes && this.cells.length < this.maxCells; at++) {
      if (this.quoted === undefined && text[at] !== '"') {
        at = this.readText(text, at);
      } else {
        at = this.readQuoted(text, this.quoted === undefined ? at + 1 : at);
        if (this.quoted !== undefined) {
          this.quoted += `${line.text.slice(text.length)}\n`;
          return 'open';
        }
      }
      if (at === text.length) return 'complete';
      if (text[at] !== ',') return 'malformed';
    }
    return 'malformed';
  }

  /** Returns where the cell ends. Only a quote at its start has a meaning. */
  private readText(text: string, start: number): number {
    const comma = text.indexOf(',', start);
    const end = comma === -1 ? text.length : comma;
    this.cells.push(text.slice(start, end));
    return end;
  }

  /** Returns the position after the closing quote; the cell stays open if there is none. */
  private readQuoted(text: string, start: number): number {
    quotedText.lastIndex = start;
    const cell = (this.quoted ?? '') + (quotedText.exec(text)?.[0] ?? '').replaceAll('""', '"');
    const end = quotedText.lastIndex;
    this.quoted = end === text.length ? cell : undefined;
    if (this.quoted === undefined) this.cells.push(cell);
    return end + 1;
  }
}

/** A row of a table. */
interface TableRow {
  /** Its first line. */
  readonly line: Line;
  /** Undefined if the line is not the beginning of a complete row. */
  readonly cells: readonly string[] | undefined;
}

/**
 * Finds the rows of a table. With a quote that is missing or not doubled, a row goes on in the rows after it. Therefore a
 * line that begins no complete row is given up alone, and the next row is looked for in the line after it.
 */
class RowSplitter {
  private row: Row;
  /** Whether a writer that does not escape quotes made the table; that of Firebase writes no header either. */
  private readonly isUnescaped: boolean;

  /** `width`: the number of columns; 0 until a header tells it. */
  constructor(private width: number) {
    this.isUnescaped = width > 0;
    this.row = this.newRow();
  }

  *push(line: Line): Generator<TableRow> {
    if (this.row.lines.length === 0 && /^\r?$/.test(line.text)) return;
    while (this.isUnescaped && this.row.lines.length > 0 && this.isRow(line)) yield* this.giveUpLine();
    const state = this.row.add(line);
    if (state === 'open') return;
    const { cells, lines } = this.row;
    if (state === 'malformed' || !this.hasEveryColumn(cells)) return yield* this.giveUpLine();
    if (this.width === 0) this.width = cells.length;
    this.row = this.newRow();
    yield { line: lines[0] ?? line, cells };
  }

  /** Gives up the lines at the end of the file whose quote is not closed. */
  *rest(): Generator<TableRow> {
    while (this.row.lines.length > 0) yield* this.giveUpLine();
  }

  // Some systems end rows with a comma.
  private newRow(): Row {
    return new Row(this.width === 0 ? maxRecordBytes : this.width + 1);
  }

  /** Further cells are those of a row with a comma or a quote that is not escaped, so that its cells are not in place. */
  private hasEveryColumn(cells: readonly string[]): boolean {
    const width = this.width || cells.length;
    return cells.length === width || (cells.length === width + 1 && cells.at(-1) === '');
  }

  /** Whether a line is a row by itself, although a cell is open. */
  private isRow(line: Line): boolean {
    const row = this.newRow();
    return row.add(line) === 'complete' && this.hasEveryColumn(row.cells);
  }

  private *giveUpLine(): Generator<TableRow> {
    const [line, ...others] = this.row.lines;
    this.row = this.newRow();
    if (line !== undefined) yield { line, cells: undefined };
    for (const other of others) yield* this.push(other);
  }
}

/**
 * Yields the rows of a table one by one. `width` is the number of columns; 0 if the first row tells it. Throws
 * UnreadableExport.
 */
async function* rowsOf(chunks: AsyncIterable<Buffer>, width: number): AsyncGenerator<TableRow> {
  const splitter = new RowSplitter(width);
  for await (const line of linesOf(chunks)) yield* splitter.push(line);
  yield* splitter.rest();
}

/** The cells with a value as a JSON object; those without a name are called `column_NUMBER`. */
const recordOf = (names: readonly string[], cells: readonly string[]): Buffer => {
  const named = cells.map((cell, index) => [names[index] || `column_${index + 1}`, cell] as const);
  return Buffer.from(JSON.stringify(Object.fromEntries(named.filter(([, cell]) => cell !== ''))));
};

const malformed = (line: number): string => `line ${line}: malformed CSV: a quote or a comma is not escaped`;

/**
 * Yields each row as a JSON object; a malformed one is a problem of this row alone. `columns` names the cells; null if the
 * first row does. Throws UnreadableExport.
 */
export async function* csvRecords(
  chunks: AsyncIterable<Buffer>,
  columns: readonly string[] | null,
): AsyncGenerator<ImportRecord> {
  let number = 0;
  let names = columns;
  for await (const { line, cells } of rowsOf(chunks, columns?.length ?? 0)) {
    if (names === null) {
      if (cells === undefined) throw new UnreadableExport(malformed(line.number));
      names = cells;
      continue;
    }
    const record = { number: ++number, end: line.end, isForgeable: columns !== null };
    if (cells !== undefined) yield { ...record, content: recordOf(names, cells) };
    else if (line.text.length > maxRecordBytes) yield { ...record, content: undefined };
    else {
      const message = `${malformed(line.number)}; the export as JSON has no such row`;
      yield { ...record, content: undefined, problem: { code: 'invalid_csv', errors: [{ path: '', message }] } };
    }
  }
}
