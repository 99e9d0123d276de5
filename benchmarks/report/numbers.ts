import type { Row } from '../results.ts';
import { median } from '../statistics.ts';

/** A figure with three significant digits and thousands separators. */
export const rounded = (figure: number): string => {
  if (!Number.isFinite(figure)) return '–';
  if (Math.abs(figure) >= 1_000) return Number(figure.toPrecision(3)).toLocaleString('en-US');
  return Math.abs(figure) >= 100 ? figure.toFixed(0) : Math.abs(figure) >= 10 ? figure.toFixed(1) : figure.toFixed(2);
};

/** The median of some figures, with minimum and maximum. */
export const withSpread = (figures: readonly number[]): string =>
  figures.length < 2
    ? rounded(median(figures))
    : `${rounded(median(figures))} (${rounded(Math.min(...figures))}–${rounded(Math.max(...figures))})`;

const unitOf = ({ limit }: Row): string => (limit.unit === '×' ? ' ×' : ` ${limit.unit}`);

/** The target, such as `≥ 0.90 ×`. */
export const target = (row: Row): string =>
  `${row.limit.kind === 'at least' ? '≥' : '≤'} ${rounded(row.limit.value)}${unitOf(row)}`;

/** The measured values, such as `0.93 (0.91–0.95) ×`. */
export const measured = (row: Row): string => `${withSpread(row.values)}${unitOf(row)}`;
