import { expect } from 'chai';
import type { UserStore } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import { addressOf, userOf } from './arbitraries.ts';
import { faultOf } from './outcomes.ts';

/** A failure of the database that a test can cause and end. */
export interface SimulatedFailure {
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** The failures that a test can cause. */
export interface SimulatedFailures {
  /** The timeout of operations with which the store is opened, in milliseconds. */
  readonly operationTimeoutMs: number;
  /** The database refuses connections. */
  readonly outage?: SimulatedFailure;
  /** The database keeps connections open and does not respond. */
  readonly hang?: SimulatedFailure;
}

/** How long a store may take to serve calls again when its database is back. */
const recoveryMs = 10_000;
/** The delay of timers on a busy machine. */
const toleranceMs = 1_000;

/** Resolves when a call succeeds; rejects with its last error after `recoveryMs`. */
const recovered = async (call: () => Promise<unknown>): Promise<void> => {
  const startedMs = performance.now();
  for (;;) {
    try {
      await call();
      return;
    } catch (error) {
      if (performance.now() - startedMs > recoveryMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
};

/** The behaviour while the database fails. */
export const storeFailures = (
  opened: () => UserStore,
  { operationTimeoutMs, outage, hang }: SimulatedFailures,
): void => {
  const expectFaults = async (failure: SimulatedFailure, address: string): Promise<void> => {
    const users = opened();
    const key = keyOf(addressOf(address));
    const stored = await users.insert(userOf(address));
    if (stored === 'taken') throw new Error('the address of a new user is taken');
    const calls = {
      find: () => users.find(key),
      insert: () => users.insert(userOf(`another-${address}`)),
      replace: () => users.replace(stored, { ...stored.user, lastUpdateTime: 9 }),
      remove: () => users.remove(stored),
      check: () => users.check(),
    };
    await failure.begin();
    try {
      const checked = Object.entries(calls).map(async ([name, call]) => {
        const startedMs = performance.now();
        expect((await faultOf(call())).code, name).to.equal('store_unavailable');
        expect(performance.now() - startedMs, name).to.be.below(operationTimeoutMs + toleranceMs);
      });
      await Promise.all(checked);
    } finally {
      await failure.end();
    }
    await recovered(calls.find);
    await recovered(calls.check);
  };

  const timeoutMs = 2 * recoveryMs + operationTimeoutMs + 10_000;
  if (outage !== undefined)
    it('throws Faults within the operation timeout while the database refuses connections, and recovers', () =>
      expectFaults(outage, 'before-an-outage@example.com')).timeout(timeoutMs);
  if (hang !== undefined)
    it('throws Faults within the operation timeout while the database does not respond, and recovers', () =>
      expectFaults(hang, 'before-a-hang@example.com')).timeout(timeoutMs);
};
