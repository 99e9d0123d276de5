import type { Section } from '../bench.ts';
import { isMet, type Results, type SectionResult } from '../results.ts';
import { median } from '../statistics.ts';

const header = 'section,figure,unit,target,median,minimum,maximum,result,day,node,busy';

const short = (value: number): string => String(Number(value.toPrecision(4)));

const spread = (values: readonly number[]): readonly string[] =>
  values.length === 0 ? ['', '', ''] : [median(values), Math.min(...values), Math.max(...values)].map(short);

/** A field of a CSV file (RFC 4180). */
const field = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const targets = ({ rows }: SectionResult): readonly (readonly string[])[] =>
  rows.flatMap((row) => {
    const { name, limit, values, cpu } = row;
    const target = `${limit.kind} ${limit.value}`;
    const result = isMet(row, median(values)) ? 'met' : 'not met';
    const byCpuTime = [`${name}, by CPU time`, limit.unit, '', ...spread(cpu), ''];
    return [[name, limit.unit, target, ...spread(values), result], ...(cpu.length === 0 ? [] : [byCpuTime])];
  });

const figures = ({ figures, contenders }: SectionResult): readonly (readonly string[])[] => [
  ...figures.map(({ name, unit, values }) => [name, unit, '', ...spread(values), '']),
  ...contenders.flatMap(({ name, connections, runs }) =>
    (
      [
        ['requests', '/s', 'perSecond'],
        ['median latency', 'ms', 'p50'],
        ['p99 latency', 'ms', 'p99'],
        ['CPU time per request', 'µs', 'cpu'],
      ] as const
    ).map(([what, unit, key]) => [
      `${name}, ${connections} connections: ${what}`,
      unit,
      '',
      ...spread(runs.map((run) => run[key])),
      '',
    ]),
  ),
];

/** All results as a CSV file, one figure a line. */
export const csv = (sections: readonly Section[], results: Results): string => {
  const lines = sections.flatMap(({ name, title }) => {
    const measured = results[name];
    if (measured === undefined) return [];
    const { day, node, busy } = measured.conditions;
    const conditions = [day, node, busy ? 'yes' : 'no'];
    return [...targets(measured.result), ...figures(measured.result)].map((line) => [title, ...line, ...conditions]);
  });
  return `${[header, ...lines.map((line) => line.map(field).join(','))].join('\n')}\n`;
};
