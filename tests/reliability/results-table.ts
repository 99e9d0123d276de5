import { readFile, writeFile } from 'node:fs/promises';

/** The document about the guarantees. The soak run writes the table in it. */
const document = new URL('../../docs/reliability.md', import.meta.url);

const start = '<!-- npm run test:soak writes the table from here -->';
const end = '<!-- to here -->';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();

const row = (...cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;

/** A Markdown table of the guarantees that were tested, in the order of `names`. */
export const table = (names: readonly string[], results: ReadonlyMap<string, string>): string => {
  const rows = names.flatMap((name) => {
    const result = results.get(name);
    return result === undefined ? [] : [row(name, result)];
  });
  return ['| Guarantee | Result |', '|---|---|', ...rows].join('\n');
};

/**
 * Writes the results of a run on a day (ISO 8601) into the table of a document. Guarantees that were not tested keep
 * their rows, so that one alone can be repeated; rows of removed guarantees are dropped.
 */
export const withResults = (
  text: string,
  names: readonly string[],
  results: ReadonlyMap<string, string>,
  day: string,
): string => {
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error('the document has no place for the table');
  const oldRows = text.slice(from, to).split('\n');
  const rows = names.map((name) => {
    const result = results.get(name);
    if (result !== undefined) return row(name, result, day);
    return oldRows.find((line) => line.startsWith(`| ${cell(name)} |`)) ?? row(name, 'not tested yet', '');
  });
  const lines = ['| Guarantee | Result of the long run | Date |', '|---|---|---|', ...rows];
  return `${text.slice(0, from)}${start}\n\n${lines.join('\n')}\n\n${text.slice(to)}`;
};

/** Writes the results of this run into docs/reliability.md. */
export const writeResults = async (names: readonly string[], results: ReadonlyMap<string, string>): Promise<void> => {
  const day = new Date().toISOString().slice(0, 10);
  await writeFile(document, withResults(await readFile(document, 'utf8'), names, results, day));
};
