import { expect } from 'chai';
import type { Fault, FaultCode } from '../../application/fault.ts';
import { withTimeout } from '../../application/interceptor.ts';
import { faultOf } from './outcomes.ts';

/** A failure of the system behind an adapter that a test can cause and end. */
export interface SimulatedFailure {
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** The failures that a test can cause. */
export interface SimulatedFailures {
  /** The timeout of operations with which the adapter is opened, in milliseconds. */
  readonly operationTimeoutMs: number;
  /** The system refuses connections. */
  readonly outage?: SimulatedFailure;
  /** The system keeps connections open and does not respond. */
  readonly hang?: SimulatedFailure;
  /** The database becomes a standby, which refuses writes and whose reads may be stale. Only for stores. */
  readonly standby?: SimulatedFailure;
  /** From `begin` on, the database applies the next write and breaks the connection instead of a reply. Only for stores. */
  readonly lostReply?: SimulatedFailure;
  /** Texts that no Fault may contain, such as the host, the user and the password of a connection string. */
  readonly secrets?: readonly string[];
}

/** The failures during which every call throws a Fault. */
type TotalFailure = 'outage' | 'hang' | 'standby';

type Call = () => Promise<unknown> | undefined;

/** Calls of an adapter by name; `repeatable` are those that may be repeated until they succeed. */
export interface Calls {
  /** The values of users in these calls, which no Fault may contain. */
  readonly values?: readonly string[];
  readonly all: Readonly<Record<string, Call>>;
  readonly repeatable: readonly Call[];
  /** Opens the adapter during the failure, which must succeed, and resolves with a repeatable call of it. */
  readonly reopen?: () => Promise<Call>;
  dispose?(): Promise<void>;
}

/** How long an adapter may take to serve calls again when the system behind it is back. */
const recoveryMs = 10_000;
/** The delay of timers on a busy machine. */
const toleranceMs = 1_000;

/** Resolves when a call succeeds; rejects with its last error after `recoveryMs`. */
const recovered = async (call: Call): Promise<void> => {
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

/** The texts of errors of Node.js, which name hosts and ports, and credentials in an address. */
const ofSystem = /\b(?:connect|read|write|getaddrinfo) E[A-Z]{3,}|:\/\/[^\s/]+@/;

/** Expects that operators can read the text of a Fault: it holds no values, and no text of a driver or a database. */
export const expectOwnText = ({ message, cause }: Fault, hidden: readonly string[] = []): void => {
  expect(message).to.not.be.empty.and.not.match(ofSystem);
  for (const text of hidden) expect(message).to.not.include(text);
  if (cause instanceof Error && cause.message !== '')
    expect(message, 'the text of a cause').to.not.include(cause.message);
};

/**
 * Tests the calls that `prepare` returns during each failure: they throw a Fault with `code` within the operation
 * timeout, and those that may be repeated succeed afterwards. `system` names what fails in the titles.
 */
export const failureTests = (
  system: string,
  code: FaultCode,
  { operationTimeoutMs, outage, hang, standby, secrets = [] }: SimulatedFailures,
  prepare: (name: TotalFailure) => Promise<Calls>,
): void => {
  const expectFaults = async (name: TotalFailure, failure: SimulatedFailure): Promise<void> => {
    const { all, repeatable, values = [], reopen, dispose } = await prepare(name);
    const reopened: Call[] = [];
    await failure.begin();
    try {
      if (reopen !== undefined) reopened.push(await reopen());
      const checked = Object.entries(all).map(async ([name, call]) => {
        const onTimeout = () =>
          new Error(`${name} does not end within the operation timeout of ${operationTimeoutMs} ms`);
        const limited = withTimeout(operationTimeoutMs + toleranceMs, Promise.resolve(call()), onTimeout);
        const fault = await faultOf(limited);
        expect(fault.code, name).to.equal(code);
        expectOwnText(fault, [...secrets, ...values]);
      });
      await Promise.all(checked);
    } finally {
      await failure.end();
    }
    for (const call of [...repeatable, ...reopened]) await recovered(call);
    await dispose?.();
  };

  const timeoutMs = 2 * recoveryMs + operationTimeoutMs + 10_000;
  if (outage !== undefined)
    it(`throws Faults within the operation timeout while ${system} refuses connections, and recovers`, () =>
      expectFaults('outage', outage)).timeout(timeoutMs);
  if (hang !== undefined)
    it(`throws Faults within the operation timeout while ${system} does not respond, and recovers`, () =>
      expectFaults('hang', hang)).timeout(timeoutMs);
  if (standby !== undefined)
    it(`throws Faults within the operation timeout while ${system} is a standby, and recovers`, () =>
      expectFaults('standby', standby)).timeout(timeoutMs);
};
