import { type ContenderRuns, isMet, type Measured, type Row, type SectionResult } from '../results.ts';
import { median } from '../statistics.ts';
import { asked, got, withSpread } from './numbers.ts';

/** A table: its head, and its lines. */
export interface Table {
  readonly head: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

const verdict = (row: Row): string => (isMet(row, median(row.values)) ? 'met' : 'NOT MET');

/** What was asked for and what was measured. */
export const figuresTable = (rows: readonly Row[]): Table => ({
  head: ['Figure', 'Asked', 'Measured', 'By processor time', ''],
  lines: rows.map((row) => [
    row.name,
    asked(row),
    got(row),
    row.cpu.length === 0 ? '' : `${withSpread(row.cpu)} ×`,
    verdict(row),
  ]),
});

/** The absolute figures behind the ratios. */
export const contendersTable = ({ contenders }: SectionResult): Table => {
  const all = (runs: readonly Measured[], figure: keyof Measured) => withSpread(runs.map((run) => run[figure]));
  return {
    head: ['Contender', 'Connections', 'Requests/s', 'Median, ms', 'p99, ms', 'Processor, µs/request'],
    lines: contenders.map(({ name, connections, runs }: ContenderRuns) => [
      name,
      String(connections),
      all(runs, 'perSecond'),
      all(runs, 'p50'),
      all(runs, 'p99'),
      all(runs, 'cpu'),
    ]),
  };
};

/** Other absolute figures behind the ratios. */
export const othersTable = ({ figures }: SectionResult): Table => ({
  head: ['Figure', 'Measured'],
  lines: figures.map(({ name, unit, values }) => [name, `${withSpread(values)} ${unit}`.trim()]),
});

const widthOf = (text: string): number => [...text].length;

/** A table for a terminal, its columns aligned. */
export const asText = ({ head, lines }: Table): string => {
  const widths = head.map(
    (name, column) => Math.max(...[head, ...lines].map((line) => widthOf(line[column] ?? ''))) || widthOf(name),
  );
  const text = (line: readonly string[]): string =>
    line
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
      .join('  ')
      .trimEnd();
  return [text(head), text(widths.map((width) => '-'.repeat(width))), ...lines.map(text)].join('\n');
};

/** A table in Markdown. */
export const asMarkdown = ({ head, lines }: Table): string =>
  [head, head.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n');
