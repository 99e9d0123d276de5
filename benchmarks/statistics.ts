/** The median of some figures; NaN if there are none. */
export const median = (figures: readonly number[]): number => {
  const sorted = [...figures].sort((one, other) => one - other);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
};

/** The quantile (0 to 1) of some figures; NaN if there are none. */
export const quantile = (figures: readonly number[], share: number): number => {
  const sorted = [...figures].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

/** The ratio of `figures` to `others`, round by round. */
export const ratios = (figures: readonly number[], others: readonly number[]): readonly number[] =>
  figures.map((figure, round) => figure / (others[round] ?? Number.NaN));
