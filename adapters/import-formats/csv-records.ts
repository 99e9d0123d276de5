import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { type ImportRecord, maxRecordBytes, UnreadableExport } from './json-records.ts';

interface Row {
  readonly info: { readonly bytes: number; readonly lines: number };
  readonly record: readonly string[];
}

const malformed = (line: unknown, code: string): UnreadableExport =>
  new UnreadableExport(`line ${line}: malformed CSV (${code})`);

/**
 * Passes chunks through. Throws UnreadableExport at the first invalid UTF-8, which the parser would replace silently.
 */
async function* utf8Only(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunks) {
      decoder.decode(chunk, { stream: true });
      yield chunk;
    }
    decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new UnreadableExport('the file is not encoded in UTF-8');
    throw error;
  }
}

/**
 * Yields each row as a JSON object of its non-empty cells. `columns` names the cells; null if the first row does.
 * Throws UnreadableExport.
 * Cells without a name are called `column_NUMBER`.
 */
export async function* csvRecords(
  chunks: AsyncIterable<Buffer>,
  columns: readonly string[] | null,
): AsyncGenerator<ImportRecord> {
  const parser = parse({
    bom: true,
    info: true,
    max_record_size: maxRecordBytes,
    // Some systems end rows with a comma, and don't double the quotes within a cell.
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  let number = 0;
  let names = columns;
  try {
    const rows: AsyncIterable<Row> = Readable.from(utf8Only(chunks)).compose(parser);
    for await (const { info, record } of rows) {
      if (names === null) {
        names = record;
        continue;
      }
      if (record.length < names.length) throw malformed(info.lines, 'CSV_RECORD_INCONSISTENT_COLUMNS');
      const named = record.map((cell, index) => [names?.[index] ?? `column_${index + 1}`, cell] as const);
      const cells = named.filter(([, cell]) => cell !== '');
      number++;
      yield { number, content: Buffer.from(JSON.stringify(Object.fromEntries(cells))), end: info.bytes };
    }
  } catch (error) {
    // The library's message contains the cell.
    if (error instanceof CsvError) throw malformed(error.lines, error.code);
    throw error;
  }
}
