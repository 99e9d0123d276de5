import { readFile, writeFile } from 'node:fs/promises';

/** The results of the long runs, which docs/reliability.md links. The soak run writes them. */
const file = new URL('../../docs/results/reliability.csv', import.meta.url);

const heading = 'guarantee,result,date';

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** A field of a CSV file (RFC 4180). */
const field = (text: string): string => `"${oneLine(text).replaceAll('"', '""')}"`;

const row = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => oneLine(cell.replaceAll('|', '\\|'))).join(' | ')} |`;

/** A Markdown table of the guarantees that were tested, in the order of `names`. */
export const table = (names: readonly string[], results: ReadonlyMap<string, string>): string => {
  const rows = names.flatMap((name) => {
    const result = results.get(name);
    return result === undefined ? [] : [row(name, result)];
  });
  return ['| Guarantee | Result |', '|---|---|', ...rows].join('\n');
};

/**
 * The lines of the CSV file after a run on a day (ISO 8601). Guarantees that were not tested keep their lines, so that
 * one alone can be repeated; lines of removed guarantees are dropped.
 */
export const withResults = (
  text: string,
  names: readonly string[],
  results: ReadonlyMap<string, string>,
  day: string,
): string => {
  const oldLines = text.split('\n');
  if (oldLines[0] !== heading) throw new Error('the file does not contain results');
  const lines = names.map((name) => {
    const result = results.get(name);
    if (result !== undefined) return [field(name), field(result), day].join(',');
    return (
      oldLines.find((line) => line.startsWith(`${field(name)},`)) ?? [field(name), '"not tested yet"', ''].join(',')
    );
  });
  return `${[heading, ...lines].join('\n')}\n`;
};

/** Writes the results of this run into docs/results/reliability.csv. */
export const writeResults = async (names: readonly string[], results: ReadonlyMap<string, string>): Promise<void> => {
  const day = new Date().toISOString().slice(0, 10);
  await writeFile(file, withResults(await readFile(file, 'utf8'), names, results, day));
};
