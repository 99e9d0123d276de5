import { PerformanceObserver } from 'node:perf_hooks';

/** The size of a half from which on the young generation no longer grows: new objects are in one half, and a collection moves those in use to the other. */
const maxHalfBytes = 8 * 1024 * 1024;

/** By how much V8 enlarges both halves at once. It reads this flag at each collection. */
const growth = { none: 1, byDefault: 2 } as const;

const sizeFlag = /semi[-_]space/;

const isSetByOperator = (): boolean =>
  [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((flags) => sizeFlag.test(flags));

// The module is loaded at the first use, because it would take milliseconds of the start.
const setGrowth = (factor: number): void =>
  process.getBuiltinModule('node:v8').setFlagsFromString(`--semi-space-growth-factor=${factor}`);

/** Leaves the young generation at its first size, which suffices for a command: it keeps few objects. */
export const keepYoungGeneration = (): void => {
  if (!isSetByOperator()) setGrowth(growth.none);
};

/**
 * Stops the growth of the young generation of the main thread at 2 × 8 MiB, or 2 × 16 MiB where V8 collects twice before
 * the observer runs. From Node.js 24 on, V8 lets it grow to 2 × 64 MiB, which is not faster. V8 reads the flag for the
 * maximum before any program runs, so that it would have to be passed in every command that starts one. Operators who
 * pass it are obeyed.
 */
export const boundYoungGeneration = (): void => {
  if (isSetByOperator()) return;
  let factor: number = growth.byDefault;
  const observer = new PerformanceObserver(() => {
    const v8 = process.getBuiltinModule('node:v8');
    const half = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (half === undefined) return;
    // V8 shrinks the young generation of an idle process, which may then grow again.
    const canGrow = (half.space_used_size + half.space_available_size) * growth.byDefault <= maxHalfBytes;
    const next = canGrow ? growth.byDefault : growth.none;
    if (next === factor) return;
    factor = next;
    setGrowth(factor);
  });
  observer.observe({ entryTypes: ['gc'] });
};
