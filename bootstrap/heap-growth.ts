import { constants, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks';

/**
 * The largest half of the young generation: new objects are in one half, and a collection moves those in use to the other.
 * It usually suffices: with twice as much, reads take 11 % more CPU time where other machines of the host use the caches of
 * the processor as well.
 *
 * With many requests at a time, objects outlive two collections and fill the old generation with garbage. Then twice as
 * much is permitted: with 256 connections, updates on SQLite take a tenth to a quarter less CPU time.
 */
const maxHalfBytes = { usual: 8 * 1024 * 1024, manyRequests: 16 * 1024 * 1024 } as const;

/** From this number of collections of the old generation in this time on, objects outlive the young one. */
const manyMajor = { collections: 8, withinMs: 10_000 } as const;

/**
 * By how much the old generation grows until V8 collects it, in percent of what was in use. V8 alone lets a small one grow
 * to four times that: with MongoDB, whose requests take long enough to outlive two collections, a process took up to 191 MB
 * after a failover, and takes 150 MB with this.
 */
const oldGrowthPercent = 20;

/** By how much V8 enlarges both halves at once. It reads this flag at each collection. */
const growth = { none: 1, byDefault: 2 } as const;

/** How often the next step of the growth is decided, and for how many times after a collection. */
const pollMs = 2;
const maxPolls = 500;
/** A poll that is later than this was delayed by a long turn of the event loop, in which V8 can collect several times. */
const maxDelayMs = 10;
/** The young generation may grow after more than this number of polls in a row that were in time. */
const calmPolls = 50;
/** The used share of a half from which a collection counts as near. */
const nearlyFull = 0.75;
/** When to make a collection only for the growth, which takes about a millisecond: the used share, and the interval. */
const halfFull = 0.5;
const minCollectionIntervalMs = 50;

const isSetByOperator = (flag: RegExp): boolean =>
  [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((flags) => flag.test(flags));
const isYoungSetByOperator = (): boolean => isSetByOperator(/semi[-_]space/);

// The modules are loaded at the first use, because they would take milliseconds of the start.
const setFlag = (flag: string): void => process.getBuiltinModule('node:v8').setFlagsFromString(flag);
const setGrowth = (factor: number): void => setFlag(`--semi-space-growth-factor=${factor}`);

/** Leaves the young generation at its first size, which suffices for a command: it keeps few objects. */
export const keepYoungGeneration = (): void => {
  if (!isYoungSetByOperator()) setGrowth(growth.none);
};

/** A half of the young generation, and how much of it is used, in bytes. */
const youngGeneration = (): { readonly halfBytes: number; readonly usedBytes: number } => {
  const spaces = process.getBuiltinModule('node:v8').getHeapSpaceStatistics();
  const young = spaces.find(({ space_name }) => space_name === 'new_space');
  const usedBytes = young?.space_used_size ?? 0;
  return { halfBytes: usedBytes + (young?.space_available_size ?? maxHalfBytes.usual), usedBytes };
};

/** Returns the function that collects the young generation: V8 has it only in contexts that are created with this flag. */
const youngCollector = (): (() => void) => {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--expose-gc');
  const collect: (options: { readonly type: 'minor' }) => void = process
    .getBuiltinModule('node:vm')
    .runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return () => collect({ type: 'minor' });
};

const isMajor = (entry: PerformanceEntry): boolean =>
  'detail' in entry &&
  typeof entry.detail === 'object' &&
  entry.detail !== null &&
  'kind' in entry.detail &&
  entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;

/**
 * Stops the growth of the young generation of the main thread at `maxHalfBytes`. From Node.js 24 on, V8 lets it grow to
 * 2 × 64 MiB, which is not faster. V8 reads the flag for the maximum before any program runs, so that it would have to be
 * passed in every command that starts one. Operators who pass it are obeyed.
 *
 * V8 doubles the size at a collection. So it is permitted only while one collection is near and the turns of the event
 * loop are short: afterwards the young generation is nearly empty, and the next collection comes after the next poll.
 * Where turns are long, it is permitted for a collection that is made for it instead.
 */
const boundYoungGeneration = (): void => {
  if (isYoungSetByOperator()) return;
  let factor: number = growth.byDefault;
  const permit = (next: number): void => {
    if (next !== factor) setGrowth(next);
    factor = next;
  };
  let timer: NodeJS.Timeout | undefined;
  let polls = 0;
  let calm = 0;
  let lastMs = 0;
  let collect: (() => void) | undefined;
  let collectedMs = 0;
  let maxBytes: number = maxHalfBytes.usual;
  let majorMs: readonly number[] = [];
  const growNow = (): void => {
    const nowMs = performance.now();
    if (nowMs - collectedMs > minCollectionIntervalMs) {
      collectedMs = nowMs;
      collect ??= youngCollector();
      permit(growth.byDefault);
      collect();
    }
    permit(growth.none);
  };
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    permit(growth.none);
  };
  const poll = (): void => {
    const { halfBytes, usedBytes } = youngGeneration();
    if (halfBytes * growth.byDefault > maxBytes || ++polls > maxPolls) {
      stop();
      return;
    }
    const nowMs = performance.now();
    calm = nowMs - lastMs > maxDelayMs ? 0 : calm + 1;
    lastMs = nowMs;
    if (calm === 0 && usedBytes > halfBytes * halfFull) growNow();
    else permit(calm > calmPolls && usedBytes > halfBytes * nearlyFull ? growth.byDefault : growth.none);
  };
  const wereMajorMany = (): boolean => {
    const [firstMs = 0] = majorMs;
    return majorMs.length === manyMajor.collections && performance.now() - firstMs < manyMajor.withinMs;
  };
  permit(growth.none);
  const observer = new PerformanceObserver((list) => {
    // The polls cause collections themselves, which must not prolong them.
    if (timer !== undefined) return;
    const { halfBytes } = youngGeneration();
    // V8 shrinks the young generation of an idle process, which may then grow again.
    if (halfBytes * growth.byDefault <= maxHalfBytes.usual) maxBytes = maxHalfBytes.usual;
    else if (maxBytes === maxHalfBytes.usual) {
      const added = list.getEntries().filter(isMajor);
      majorMs = [...majorMs, ...added.map(({ startTime }) => startTime)].slice(-manyMajor.collections);
      if (wereMajorMany()) maxBytes = maxHalfBytes.manyRequests;
    }
    if (halfBytes * growth.byDefault > maxBytes) return;
    polls = 0;
    timer = setInterval(poll, pollMs).unref();
  });
  observer.observe({ entryTypes: ['gc'] });
};

/**
 * Bounds the growth of both generations of a process that serves requests. The young one is collected without helper threads:
 * few objects are in use there, so that a collection under reads takes 0.6 ms instead of 0.8 on Node.js 24, also with two
 * cores.
 */
export const boundHeapGrowth = (): void => {
  if (!isSetByOperator(/heap[-_]growing/)) setFlag(`--heap-growing-percent=${oldGrowthPercent}`);
  if (!isSetByOperator(/parallel[-_]scavenge/)) setFlag('--no-parallel-scavenge');
  boundYoungGeneration();
};
