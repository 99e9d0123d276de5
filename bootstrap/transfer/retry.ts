import { setTimeout as pause } from 'node:timers/promises';
import { Fault, type FaultCode } from '../../application/fault.ts';

/** For how long a database that does not answer is waited for, in milliseconds. */
const patience = 60_000;
const pauseBetween = 1_000;

const passing: ReadonlySet<FaultCode> = new Set(['store_unavailable', 'timed_out', 'overloaded']);

/** Works until it is done: again while the database is away, for a minute. Throws its last Fault then, and any other at once. */
export const patiently = async <Result>(work: () => Promise<Result>, longest = patience): Promise<Result> => {
  const started = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const mayPass = error instanceof Fault && passing.has(error.code);
      if (!mayPass || performance.now() - started > longest) throw error;
      await pause(pauseBetween);
    }
  }
};
