import { readFile, writeFile } from 'node:fs/promises';

/** What users read about the promises; the table in it is written by the long run, everything else by hand. */
const document = new URL('../../docs/reliability.md', import.meta.url);

const start = '<!-- npm run test:soak writes the table from here -->';
const end = '<!-- to here -->';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();

const row = (...cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;

/** What was met of promises, as a Markdown table in the order of `names`; those that are not known are left out. */
export const table = (names: readonly string[], figures: ReadonlyMap<string, string>): string =>
  ['| Promise | Met |', '|---|---|', ...names.flatMap((name) => withFigure(name, figures.get(name)))].join('\n');

const withFigure = (name: string, figure: string | undefined): readonly string[] =>
  figure === undefined ? [] : [row(name, figure)];

/**
 * The text of the document with the figures of a run on a day (ISO 8601) in its table. Promises that were not tried keep
 * their rows, so that one alone can be tried again; those that are no longer made lose theirs.
 */
export const withFigures = (
  text: string,
  names: readonly string[],
  figures: ReadonlyMap<string, string>,
  day: string,
): string => {
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error('the document has no place for the table');
  const former = text.slice(from, to).split('\n');
  const rows = names.map((name) => {
    const figure = figures.get(name);
    if (figure !== undefined) return row(name, figure, day);
    return former.find((line) => line.startsWith(`| ${cell(name)} |`)) ?? row(name, 'not tried yet', '');
  });
  const lines = ['| Promise | Met in the long run | On |', '|---|---|---|', ...rows];
  return `${text.slice(0, from)}${start}\n\n${lines.join('\n')}\n\n${text.slice(to)}`;
};

/** Writes the figures of this run into the document. */
export const writeFigures = async (names: readonly string[], figures: ReadonlyMap<string, string>): Promise<void> => {
  const day = new Date().toISOString().slice(0, 10);
  await writeFile(document, withFigures(await readFile(document, 'utf8'), names, figures, day));
};
