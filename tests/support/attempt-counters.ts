import type { AttemptCounter, AttemptLimits } from '../../application/ports/attempt-counter.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';

/** The attempt counters of two stores on the same database, as two instances of the service have them. */
export interface SharedCounters {
  readonly one: AttemptCounter;
  readonly other: AttemptCounter;
  close(): Promise<void>;
}

/** The attempt counter of a store; throws when the store has none. */
export const counterOf = async (store: StorePorts | undefined, limits: AttemptLimits): Promise<AttemptCounter> => {
  const counter = await store?.attempts?.(limits);
  if (counter === undefined) throw new Error('the store has no attempt counter');
  return counter;
};

export const countersOf = async (
  [one, other]: readonly StorePorts[],
  limits: AttemptLimits,
): Promise<SharedCounters> => {
  const [first, second] = [await counterOf(one, limits), await counterOf(other, limits)];
  return {
    one: first,
    other: second,
    close: async () => {
      await Promise.all([first.close(), second.close()]);
    },
  };
};
