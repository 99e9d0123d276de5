import type { AttemptCounter, AttemptLimits } from '../../application/ports/attempt-counter.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';

/** Counts as two instances of the service have them, beside two stores on the same database. */
export interface SharedCounts {
  readonly one: AttemptCounter;
  readonly other: AttemptCounter;
  close(): Promise<void>;
}

/** The counts beside a store; fails when it keeps none. */
export const countsBeside = async (store: StorePorts | undefined, limits: AttemptLimits): Promise<AttemptCounter> => {
  const counts = await store?.attempts?.(limits);
  if (counts === undefined) throw new Error('the store counts no failed attempts');
  return counts;
};

export const countsOf = async ([one, other]: readonly StorePorts[], limits: AttemptLimits): Promise<SharedCounts> => {
  const [first, second] = [await countsBeside(one, limits), await countsBeside(other, limits)];
  return {
    one: first,
    other: second,
    close: async () => {
      await Promise.all([first.close(), second.close()]);
    },
  };
};
