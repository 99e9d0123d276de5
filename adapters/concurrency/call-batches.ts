/** By how much the deadlines of one batch differ at most. */
const maxSpreadMs = 250;

interface Waiting<Item, Result> {
  readonly item: Item;
  /** A time of `performance.now()`. */
  readonly deadlineMs: number;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: unknown) => void;
}

/** The limits of batches: the most items in one, and how many run at a time while further items are collected. */
interface BatchLimits {
  readonly maxItems: number;
  readonly maxRunning?: number;
}

/** Collects items that are requested in the same turn of the event loop, or while enough batches run. */
export class Batches<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = 0;

  constructor(
    private readonly limits: BatchLimits,
    /**
     * Resolves with one result for each item, or the promise of one, in their order, or rejects for all of them, by a time of
     * `performance.now()`.
     */
    private readonly run: (
      items: readonly Item[],
      deadlineMs: number,
    ) => Promise<readonly (Result | Promise<Result>)[]>,
  ) {}

  /** The result of an item; an item that still waits at its deadline is dropped without one. */
  add(item: Item, deadlineMs = Number.POSITIVE_INFINITY): Promise<Result> {
    return new Promise((resolve, reject) => {
      // Those that wait already are started by the end of a batch, or by the first one of this turn.
      if (this.waiting.push({ item, deadlineMs, resolve, reject }) === 1) setImmediate(() => this.start());
    });
  }

  private start(): void {
    const { maxRunning = Number.POSITIVE_INFINITY } = this.limits;
    const now = performance.now();
    // Those whose callers have given up are the first ones.
    while (this.waiting[0] !== undefined && this.waiting[0].deadlineMs <= now) this.waiting.shift();
    while (this.waiting.length > 0 && this.running < maxRunning) {
      const batch = this.next();
      this.running++;
      this.settle(batch).finally(() => {
        this.running--;
        this.start();
      });
    }
  }

  /** Takes the items that arrived first, and others whose deadlines are not much later: they share the earliest one. */
  private next(): readonly Waiting<Item, Result>[] {
    const [first, ...others] = this.waiting.slice(0, this.limits.maxItems);
    if (first === undefined) return [];
    const similar = others.filter(({ deadlineMs }) => deadlineMs <= first.deadlineMs + maxSpreadMs);
    return this.waiting.splice(0, 1 + similar.length);
  }

  private async settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const deadlineMs = Math.min(...batch.map((waiting) => waiting.deadlineMs));
    try {
      const items = batch.map(({ item }) => item);
      const results = await this.run(items, deadlineMs);
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

/** How records are read by key. */
interface Reads<Key, Found> {
  /**
   * The records of different keys, undefined for one that does not exist, without those that are to be read alone; undefined
   * if all of them are.
   */
  together(keys: readonly Key[]): Promise<Pick<ReadonlyMap<Key, Found | undefined>, 'get' | 'has'> | undefined>;
  alone(key: Key): Promise<Found | undefined>;
}

/** Returns the function that reads a record: together with the others that are requested in the same turn of the event loop. */
export const sharedReads = <Key, Found>(maxItems: number, { together, alone }: Reads<Key, Found>) => {
  const batches = new Batches<Key, Found | undefined>({ maxItems }, async (keys) => {
    const distinct = [...new Set(keys)];
    const shared = distinct.length > 1 ? await together(distinct) : undefined;
    const found = new Map(distinct.map((key) => [key, shared?.has(key) ? shared.get(key) : alone(key)]));
    return keys.map((key) => found.get(key));
  });
  return (key: Key): Promise<Found | undefined> => batches.add(key);
};
