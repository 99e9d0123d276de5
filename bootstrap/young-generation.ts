import { PerformanceObserver } from 'node:perf_hooks';

/** The largest half of the young generation: new objects are in one half, and a collection moves those in use to the other. */
const maxHalfBytes = 16 * 1024 * 1024;

/** By how much V8 enlarges both halves at once. It reads this flag at each collection. */
const growth = { none: 1, byDefault: 2 } as const;

/** How often the last step of the growth is looked for, while there are collections at all. */
const pollMs = 2;
const maxIdlePolls = 500;
/** How full the young generation is when a collection is near. */
const nearlyFull = 0.75;

const sizeFlag = /semi[-_]space/;

const isSetByOperator = (): boolean =>
  [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((flags) => sizeFlag.test(flags));

// The modules are loaded at the first use, because they would take milliseconds of the start.
const setGrowth = (factor: number): void =>
  process.getBuiltinModule('node:v8').setFlagsFromString(`--semi-space-growth-factor=${factor}`);

/** Leaves the young generation at its first size, which suffices for a command: it keeps few objects. */
export const keepYoungGeneration = (): void => {
  if (!isSetByOperator()) setGrowth(growth.none);
};

/** A half of the young generation, and how much of it is used, in bytes. */
const youngGeneration = (): { readonly halfBytes: number; readonly usedBytes: number } => {
  const spaces = process.getBuiltinModule('node:v8').getHeapSpaceStatistics();
  const young = spaces.find(({ space_name }) => space_name === 'new_space');
  const usedBytes = young?.space_used_size ?? 0;
  return { halfBytes: usedBytes + (young?.space_available_size ?? maxHalfBytes), usedBytes };
};

/**
 * Stops the growth of the young generation of the main thread at 2 × 16 MiB. From Node.js 24 on, V8 lets it grow to
 * 2 × 64 MiB, which is not faster. V8 reads the flag for the maximum before any program runs, so that it would have to
 * be passed in every command that starts one. Operators who pass it are obeyed.
 */
export const boundYoungGeneration = (): void => {
  if (isSetByOperator()) return;
  let factor: number = growth.byDefault;
  const permit = (next: number): void => {
    if (next !== factor) setGrowth(next);
    factor = next;
  };
  let timer: NodeJS.Timeout | undefined;
  let idlePolls = 0;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    permit(growth.none);
  };
  /**
   * Permits the last step only while a collection is near. After it the young generation is nearly empty, so that the
   * next one, which would double it again, comes after the next poll.
   */
  const poll = (): void => {
    const { halfBytes, usedBytes } = youngGeneration();
    if (halfBytes * growth.byDefault > maxHalfBytes || ++idlePolls > maxIdlePolls) stop();
    else permit(usedBytes > halfBytes * nearlyFull ? growth.byDefault : growth.none);
  };
  const observer = new PerformanceObserver(() => {
    const { halfBytes } = youngGeneration();
    idlePolls = 0;
    // V8 can collect twice before this observer runs. It shrinks the young generation of an idle process, which may then
    // grow again.
    if (halfBytes * growth.byDefault ** 2 <= maxHalfBytes) permit(growth.byDefault);
    else if (halfBytes * growth.byDefault > maxHalfBytes) stop();
    else {
      if (timer === undefined) permit(growth.none);
      timer ??= setInterval(poll, pollMs).unref();
    }
  });
  observer.observe({ entryTypes: ['gc'] });
};
