import { eventually } from '../../support/eventually.ts';
import type { Caller } from '../caller.ts';
import type { RandomStream } from '../random.ts';
import type { BareDriver } from './bare-driver.ts';
import { findViolations, type Violation } from './history.ts';
import { longestPause, type Round } from './round-summary.ts';
import { Workload } from './workload.ts';

/** The timeout of the services, and how much later a response may arrive at a client. */
export const operationTimeoutMs = 10_000;
const maxLatenessMs = 250;

/** Concurrent writers and readers for each service. */
const load = { writers: 8, readers: 6 };

/** How many writes of each client come before the fault. */
const warmUpWrites = 20;

/** How long writes may take to start, and how long they may still fail when the servers are healthy again. */
const recoveryTimeoutMs = 30_000;

/** The states that are stored under an address, by the numbers of the history. */
export type ReadStates = (address: string) => Promise<readonly number[]>;

/** What happens in a round. */
export interface Scenario {
  /** One for each service. */
  readonly callers: readonly Caller[];
  /** The services whose outage is measured. */
  readonly services: readonly number[];
  /** Waits until all servers are healthy. Resolves with the primary. */
  settled(): Promise<number>;
  startDriver?(): BareDriver;
  /** Causes the fault and ends it. Resolves with what was done. */
  cause(primary: number): Promise<string>;
  /** When the primary of the last fault took writes again, if that is judged. */
  primarySince?(): number;
  /** Reads what is stored at the end. */
  withStates<Result>(use: (read: ReadStates) => Promise<Result>): Promise<Result>;
}

/** Describes a violation, with times in milliseconds since the fault began. */
const describeViolation = ({ kind, request, possible, since }: Violation, began: number): string => {
  const at = (time: number): string => `${Math.round(time - began)} ms`;
  const expected = `possible: states ${possible.slice(0, 9).join(', ')} since ${at(since)}`;
  if (request === undefined) return `${kind}; ${expected}`;
  const { called, answered, credentials, writes, outcome } = request;
  const what = writes === undefined ? 'read' : `write of state ${writes}`;
  const sent = credentials === undefined ? '' : ` with the password of state ${credentials}`;
  return `${kind}: ${what}${sent} from ${at(called)} to ${at(answered)}: ${JSON.stringify(outcome)}; ${expected}`;
};

/** Causes a fault under load, and checks every response. */
export const runRound = async (scenario: Scenario, round: number, random: RandomStream): Promise<Round> => {
  const primary = await scenario.settled();
  const workload = new Workload(scenario.callers, random);
  const driver = scenario.startDriver?.();
  const allSuccesses = workload.clients.map(({ successes }) => successes);
  if (driver !== undefined) allSuccesses.push(driver.successes);
  workload.start(load);
  await eventually(async () => {
    if (allSuccesses.some(({ length }) => length < warmUpWrites)) throw new Error('writes did not start');
  }, recoveryTimeoutMs);

  const began = performance.now();
  const cause = await scenario.cause(primary);
  await scenario.settled();
  const ended = performance.now();
  await eventually(async () => {
    if (allSuccesses.some((times) => (times.at(-1) ?? 0) < ended)) throw new Error('writes did not succeed again');
  }, recoveryTimeoutMs);
  const recovered = performance.now();
  await Promise.all([workload.stop(), driver?.stop()]);

  const histories = await scenario.withStates((read) => workload.histories(read));
  const violations = histories.flatMap(findViolations);
  for (const violation of violations.slice(0, 20))
    console.error(`round ${round + 1}, ${cause}: ${describeViolation(violation, began)}`);
  for (const { status, body } of workload.unexpected.slice(0, 5))
    console.error(`round ${round + 1}, ${cause}: ${status} ${body}`);
  const requests = histories.flatMap((history) => history.requests);
  const measured = scenario.services.map((service) => workload.clients[service]!);
  const primarySince = scenario.primarySince?.();
  return {
    violations,
    unexpected: workload.unexpected.length,
    writes: workload.clients.reduce((sum, { successes }) => sum + successes.length, 0),
    requests: requests.length,
    late: requests.filter(({ called, answered }) => answered - called > operationTimeoutMs + maxLatenessMs).length,
    failures: measured.reduce((sum, { failures }) => sum + failures.length, 0),
    pauseMs: Math.max(...measured.map(({ successes }) => longestPause(successes, began, recovered))),
    ...(driver && { driverPauseMs: longestPause(driver.successes, began, recovered) }),
    ...(primarySince !== undefined && {
      recoveryMs: Math.max(
        ...measured.map(({ successes }) => (successes.find((time) => time > primarySince) ?? recovered) - primarySince),
      ),
    }),
  };
};
