import type { Row } from '../results.ts';
import { median } from '../statistics.ts';

/** A figure with three digits that count; thousands are set apart. */
export const rounded = (figure: number): string => {
  if (!Number.isFinite(figure)) return '–';
  if (Math.abs(figure) >= 1_000) return Number(figure.toPrecision(3)).toLocaleString('en-US');
  return Math.abs(figure) >= 100 ? figure.toFixed(0) : Math.abs(figure) >= 10 ? figure.toFixed(1) : figure.toFixed(2);
};

/** The median of some figures, with the least and the greatest. */
export const withSpread = (figures: readonly number[]): string =>
  figures.length < 2
    ? rounded(median(figures))
    : `${rounded(median(figures))} (${rounded(Math.min(...figures))}–${rounded(Math.max(...figures))})`;

const unitOf = ({ limit }: Row): string => (limit.unit === '×' ? ' ×' : ` ${limit.unit}`);

/** What was asked for, as in `≥ 0.90 ×`. */
export const asked = (row: Row): string =>
  `${row.limit.kind === 'at least' ? '≥' : '≤'} ${rounded(row.limit.value)}${unitOf(row)}`;

/** What was measured, as in `0.93 × (0.91–0.95)`. */
export const got = (row: Row): string => `${withSpread(row.values)}${unitOf(row)}`;
