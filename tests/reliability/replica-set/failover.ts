import { fileURLToPath } from 'node:url';
import { keyOf } from '../../../domain/email-address.ts';
import { addressOf } from '../../../sdk/contract/arbitraries.ts';
import { Installation } from '../../process/installation.ts';
import { eventually } from '../../support/eventually.ts';
import { Caller } from '../caller.ts';
import type { Guarantee } from '../guarantee.ts';
import { BareDriver } from './bare-driver.ts';
import type { Fault } from './faults.ts';
import { findViolations, type History, type Violation } from './history.ts';
import { addressesFor, serviceCount } from './links.ts';
import type { MemberSet } from './member-set.ts';
import { longestPause, type Round, summarize } from './round-summary.ts';
import { Workload } from './workload.ts';

const operationTimeoutMs = 10_000;

/** Concurrent writers and readers for each service. */
const load = { writers: 8, readers: 6 };

/** How many writes of each client come before the fault. */
const warmUpWrites = 20;

/** How long writes may take to start, and how long they may still fail when the set is healthy again. */
const recoveryTimeoutMs = 30_000;

const resolver = fileURLToPath(new URL('resolve-members.js', import.meta.url));

/** The last service, which no fault separates from the majority; the driver alone uses its links. */
const lastService = { service: serviceCount - 1 };

interface Scenario {
  readonly set: MemberSet;
  readonly databaseName: string;
  /** One for each service. */
  readonly callers: readonly Caller[];
}

/** The histories of a workload, with what is stored at the end. */
const readHistories = async (workload: Workload, { set, databaseName }: Scenario): Promise<readonly History[]> => {
  const client = set.client(lastService);
  const users = client.db(databaseName).collection('users', { readConcern: { level: 'linearizable' } });
  try {
    return await workload.histories(async (address) => {
      const documents = await users.find({ email: keyOf(addressOf(address)) }).toArray();
      // A reservation of an address has no state.
      return documents.flatMap(({ properties }): number[] => JSON.parse(properties).state ?? []);
    });
  } finally {
    await client.close();
  }
};

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
const runRound = async (scenario: Scenario, fault: Fault, round: number): Promise<Round> => {
  const { set, databaseName, callers } = scenario;
  const primary = await set.settled();
  const workload = new Workload(callers);
  const driver = new BareDriver(set, lastService, databaseName, operationTimeoutMs);
  const allSuccesses = [...workload.clients.map(({ successes }) => successes), driver.successes];
  workload.start(load);
  await eventually(async () => {
    if (allSuccesses.some(({ length }) => length < warmUpWrites)) throw new Error('writes did not start');
  }, recoveryTimeoutMs);

  const began = performance.now();
  const cause = await fault.cause(set, primary, round);
  await set.settled();
  const ended = performance.now();
  await eventually(async () => {
    if (allSuccesses.some((times) => (times.at(-1) ?? 0) < ended)) throw new Error('writes did not succeed again');
  }, recoveryTimeoutMs);
  const recovered = performance.now();
  await Promise.all([workload.stop(), driver.stop()]);

  const histories = await readHistories(workload, scenario);
  const violations = histories.flatMap(findViolations);
  for (const violation of violations.slice(0, 20))
    console.error(`round ${round + 1}, ${cause}: ${describeViolation(violation, began)}`);
  for (const { status, body } of workload.unexpected.slice(0, 5))
    console.error(`round ${round + 1}, ${cause}: ${status} ${body}`);
  const measured = fault.services.map((service) => workload.clients[service]!);
  return {
    violations,
    unexpected: workload.unexpected.length,
    writes: workload.clients.reduce((sum, { successes }) => sum + successes.length, 0),
    requests: histories.reduce((sum, { requests }) => sum + requests.length, 0),
    failures: measured.reduce((sum, { failures }) => sum + failures.length, 0),
    pauseMs: Math.max(...measured.map(({ successes }) => longestPause(successes, began, recovered))),
    driverPauseMs: longestPause(driver.successes, began, recovered),
  };
};

/** A round is one fault of a replica set under load on two services. */
export const failover = (set: () => MemberSet, fault: Fault): Guarantee => ({
  name: `on three MongoDB members ${fault.name} loses no write, and every response is correct`,
  rounds: fault.rounds,
  timeoutMs: 120_000,
  run: async (count) => {
    const installation = await Installation.create();
    const databaseName = `failover-${Date.now()}`;
    const { connectionString, links } = set();
    const database = { type: 'mongodb', connectionString, databaseName, collectionName: 'users' };
    try {
      await installation.configure({ database, operationTimeout: `${operationTimeoutMs}ms` });
      const callers: Caller[] = [];
      for (let service = 0; service < serviceCount; service++) {
        const environment = { MEMBER_ADDRESSES: JSON.stringify(addressesFor({ service })) };
        const serving = await installation.serve(environment, undefined, ['--import', resolver]);
        callers.push(new Caller(serving.url, operationTimeoutMs + 5_000));
      }
      const rounds: Round[] = [];
      for (let round = 0; round < count; round++)
        rounds.push(await runRound({ set: set(), databaseName, callers }, fault, round));
      for (const caller of callers) caller.close();
      return summarize(rounds, fault);
    } finally {
      await links.restore();
      await installation.dispose();
    }
  },
});
