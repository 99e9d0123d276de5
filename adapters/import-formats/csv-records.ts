import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { type ImportRecord, maxRecordBytes, UnreadableExport } from './json-records.ts';

interface Row {
  readonly info: { readonly bytes: number };
  readonly record: Readonly<Record<string, string>>;
}

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
 */
export async function* csvRecords(
  chunks: AsyncIterable<Buffer>,
  columns: readonly string[] | null,
): AsyncGenerator<ImportRecord> {
  const parser = parse({
    bom: true,
    columns: columns === null ? true : [...columns],
    info: true,
    max_record_size: maxRecordBytes,
    // Some systems end rows with a comma, and don't double the quotes within a cell.
    relax_column_count_more: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  let number = 0;
  try {
    const rows: AsyncIterable<Row> = Readable.from(utf8Only(chunks)).compose(parser);
    for await (const { info, record } of rows) {
      const cells = Object.entries(record).filter(([, cell]) => cell !== '');
      number++;
      yield { number, content: Buffer.from(JSON.stringify(Object.fromEntries(cells))), end: info.bytes };
    }
  } catch (error) {
    // The library's message contains the cell.
    if (error instanceof CsvError) throw new UnreadableExport(`line ${error.lines}: malformed CSV (${error.code})`);
    throw error;
  }
}
