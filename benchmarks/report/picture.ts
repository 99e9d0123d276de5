import { notFlushed } from '../contender.ts';
import type { ContenderRuns, Measured, Results } from '../results.ts';
import { median } from '../statistics.ts';
import { rounded } from './numbers.ts';

/** A bar; `ours` marks Latchkey. */
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

// Readable on light and dark backgrounds; the text color follows the color scheme of the page.
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

/** Throughput and latency of reads and writes as horizontal bars: an SVG document. */
export const picture = (results: Results): string => {
  const reads = results.read?.result.contenders ?? [];
  // Writes that are not flushed are not durable; the tables contain them.
  const writes = (results.write?.result.contenders ?? []).filter(({ name }) => !name.endsWith(notFlushed));
  const charts = [
    { title: 'Reads per second', bars: barsOf(reads, 'perSecond') },
    { title: 'Reads: p99 latency, ms', bars: barsOf(reads, 'p99') },
    { title: 'Durable writes per second', bars: barsOf(writes, 'perSecond') },
    { title: 'Durable writes: p99 latency, ms', bars: barsOf(writes, 'p99') },
  ].filter(({ bars }) => bars.length > 0);
  let top = 0;
  const parts = charts.map(({ title, bars }) => {
    const part = chart(title, bars, top);
    top += heightOf(bars);
    return part;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" role="img">`,
    '  <title>Throughput and latency of Latchkey and of hand-written servers</title>',
    `  <style>${style}</style>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
};
