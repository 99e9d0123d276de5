import { rowsOf } from './csv-rows.ts';
import { type ImportRecord, maxRecordBytes, UnreadableExport } from './json-records.ts';

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
  for await (const { line, cells } of rowsOf(chunks, columns?.length)) {
    if (names === null) {
      if (cells === undefined) throw new UnreadableExport(malformed(line.number));
      names = cells;
      continue;
    }
    const record = { number: ++number, end: line.end };
    if (cells !== undefined) yield { ...record, content: recordOf(names, cells) };
    else if (line.text.length > maxRecordBytes) yield { ...record, content: undefined };
    else {
      const message = `${malformed(line.number)}; the export as JSON has no such row`;
      yield { ...record, content: undefined, problem: { code: 'invalid_csv', errors: [{ path: '', message }] } };
    }
  }
}
