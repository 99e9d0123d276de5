import { neverFlushed } from '../contender.ts';
import type { ContenderRuns, Measured, Results } from '../results.ts';
import { median } from '../statistics.ts';
import { rounded } from './numbers.ts';

/** A bar: what it stands for, how long it is, and whether it is one of ours. */
interface Bar {
  readonly name: string;
  readonly value: number;
  readonly ours: boolean;
}

const width = 760;
const nameWidth = 250;
const valueWidth = 80;
const lineHeight = 24;
const barHeight = 14;
const headHeight = 40;

// Readable on white and on black; where the page tells, the text takes the better of two greys.
const style = `
    text { font: 13px system-ui, sans-serif; fill: #6e7781 }
    .head { font-weight: 600; font-size: 14px }
    .ours { fill: #2f81f7 }
    .other { fill: #8c959f }
    @media (prefers-color-scheme: dark) { text { fill: #adbac7 } }
  `;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const bar = ({ name, value, ours }: Bar, greatest: number, y: number): string => {
  const length = Math.max(1, ((width - nameWidth - valueWidth) * value) / greatest);
  return [
    `  <text x="${nameWidth - 10}" y="${y + barHeight - 2}" text-anchor="end">${escaped(name)}</text>`,
    `  <rect class="${ours ? 'ours' : 'other'}" x="${nameWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>`,
    `  <text x="${(nameWidth + length + 8).toFixed(1)}" y="${y + barHeight - 2}">${rounded(value)}</text>`,
  ].join('\n');
};

const chart = (title: string, bars: readonly Bar[], top: number): string => {
  const greatest = Math.max(...bars.map(({ value }) => value));
  const head = `  <text class="head" x="0" y="${top + 22}">${escaped(title)}</text>`;
  return [head, ...bars.map((each, index) => bar(each, greatest, top + headHeight + index * lineHeight))].join('\n');
};

const heightOf = (bars: readonly Bar[]): number => (bars.length === 0 ? 0 : headHeight + bars.length * lineHeight + 16);

const barsOf = (contenders: readonly ContenderRuns[], figure: keyof Measured): readonly Bar[] =>
  contenders.map(({ name, runs }) => ({
    name,
    value: median(runs.map((run) => run[figure])),
    ours: name.startsWith('Latchkey'),
  }));

/** The throughput and the latency of reads and writes as horizontal bars: an SVG document. */
export const picture = (results: Results): string => {
  const reads = results.read?.result.contenders ?? [];
  // What is never flushed is no durable write: its figures are in the tables.
  const writes = (results.write?.result.contenders ?? []).filter(({ name }) => !name.endsWith(neverFlushed));
  const charts = [
    { title: 'Reads per second', bars: barsOf(reads, 'perSecond') },
    { title: 'Reads: 99 of 100 answered within, ms', bars: barsOf(reads, 'p99') },
    { title: 'Durable writes per second', bars: barsOf(writes, 'perSecond') },
    { title: 'Durable writes: 99 of 100 answered within, ms', bars: barsOf(writes, 'p99') },
  ].filter(({ bars }) => bars.length > 0);
  let top = 0;
  const parts = charts.map(({ title, bars }) => {
    const part = chart(title, bars, top);
    top += heightOf(bars);
    return part;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" role="img">`,
    '  <title>Throughput and latency of Latchkey beside hand-written servers</title>',
    `  <style>${style}</style>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
};
