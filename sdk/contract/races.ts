import { Fault, type FaultCode } from '../../application/fault.ts';

const slowFaults: ReadonlySet<FaultCode> = new Set(['store_unavailable', 'timed_out']);
const maxRaces = 3;

/**
 * Registers a test of calls that race each other. It runs again, twice at most, if the database does not answer all of them
 * in time: on a slow machine this says nothing about who wins.
 */
export const race = (title: string, test: (this: Mocha.Context) => Promise<unknown>): Mocha.Test =>
  it(title, async function () {
    for (let races = 1; ; races++)
      try {
        await test.call(this);
        return;
      } catch (error) {
        if (races === maxRaces || !(error instanceof Fault && slowFaults.has(error.code))) throw error;
      }
  });

/** The outcomes of calls, once all of them have ended, so that none disturbs the next race. */
export const outcomesOf = async <Call>(calls: readonly Call[]): Promise<Awaited<Call>[]> => {
  await Promise.allSettled(calls);
  return Promise.all(calls);
};
