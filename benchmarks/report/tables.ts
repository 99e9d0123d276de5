import { type ContenderRuns, isMet, type Measured, type Row, type SectionResult } from '../results.ts';
import { median } from '../statistics.ts';
import { measured, target, withSpread } from './numbers.ts';

/** A table with its header and rows. */
interface Table {
  readonly head: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

const verdict = (row: Row): string => (isMet(row, median(row.values)) ? 'met' : 'NOT MET');

/** Targets and measured values. */
export const figuresTable = (rows: readonly Row[]): Table => ({
  head: ['Figure', 'Target', 'Measured', 'By CPU time', 'Result'],
  lines: rows.map((row) => [
    row.name,
    target(row),
    measured(row),
    row.cpu.length === 0 ? '' : `${withSpread(row.cpu)} ×`,
    verdict(row),
  ]),
});

/** Absolute figures of the servers. */
export const contendersTable = ({ contenders }: SectionResult): Table => {
  const all = (runs: readonly Measured[], figure: keyof Measured) => withSpread(runs.map((run) => run[figure]));
  return {
    head: ['Server', 'Connections', 'Requests/s', 'Median, ms', 'p99, ms', 'CPU, µs/request'],
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

/** Other absolute figures. */
export const othersTable = ({ figures }: SectionResult): Table => ({
  head: ['Figure', 'Measured'],
  lines: figures.map(({ name, unit, values }) => [name, `${withSpread(values)} ${unit}`.trim()]),
});

const widthOf = (text: string): number => [...text].length;

/** A table for a terminal, with aligned columns. */
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
