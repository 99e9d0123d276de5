import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { callTimeoutMs, clientOptions, durableWrite } from '../../../adapters/stores/mongodb/connection.ts';
import { keyOf } from '../../../domain/email-address.ts';
import { addressOf } from '../../../sdk/contract/arbitraries.ts';
import { Installation } from '../../process/installation.ts';
import { eventually } from '../../support/eventually.ts';
import { Caller } from '../caller.ts';
import { type Guarantee, isSoakRun } from '../guarantee.ts';
import type { Fault } from './faults.ts';
import { findViolations, type Violation, violationKinds } from './history.ts';
import { addressesFor, serviceCount } from './links.ts';
import type { MemberSet } from './member-set.ts';
import { type ClientRecord, Workload } from './workload.ts';

const operationTimeoutMs = 10_000;

/** Concurrent writers and readers for each service. */
const writers = 4;
const readers = 6;

/** How many writes of each client come before the fault. */
const warmUpWrites = 20;

/** How long writes may still fail after the set is healthy again. */
const recoveryTimeoutMs = 30_000;

/** The longest pause between two writes, that a planned change may cause. Asserted in the long run only. */
const plannedOutageMs = 1_500;

const resolver = fileURLToPath(new URL('resolve-members.js', import.meta.url));

/** Two services on a replica set, each behind links of its own. */
interface Services {
  readonly set: MemberSet;
  readonly databaseName: string;
  readonly callers: readonly Caller[];
}

/** What a round found. */
interface Round {
  readonly violations: readonly Violation[];
  readonly unexpected: number;
  readonly writes: number;
  readonly requests: number;
  readonly failures: number;
  readonly outageMs: number;
  readonly driverOutageMs: number;
}

/** The longest time without a successful write, in milliseconds; at least the one that lasts until `end`. */
const longestPause = (records: readonly ClientRecord[], from: number, end: number): number => {
  const pauses = records.map(({ successes }) => {
    const last = successes.findLast((time) => time <= from) ?? from;
    const times = [last, ...successes.filter((time) => time > from), end].sort((one, other) => one - other);
    return Math.max(...times.slice(1).map((time, index) => time - times[index]!));
  });
  return Math.max(...pauses);
};

/** A loop of majority writes by the driver alone, with the timeouts of the service, through the links of a service. */
class BareDriver implements ClientRecord {
  readonly successes: number[] = [];
  readonly failures: number[] = [];
  private stopping = false;
  private readonly running: Promise<void>;

  constructor(set: MemberSet, service: number, databaseName: string) {
    this.running = this.run(set, service, databaseName);
  }

  stop(): Promise<void> {
    this.stopping = true;
    return this.running;
  }

  private async run(set: MemberSet, service: number, databaseName: string): Promise<void> {
    const timeoutMs = callTimeoutMs(operationTimeoutMs);
    const client = set.client({ service }, clientOptions(timeoutMs));
    const documents = client.db(databaseName).collection('driver', { writeConcern: durableWrite(timeoutMs) });
    while (!this.stopping) {
      try {
        await documents.updateOne({ name: 'counter' }, { $inc: { count: 1 } }, { upsert: true });
        this.successes.push(performance.now());
      } catch {
        this.failures.push(performance.now());
      }
      await delay(25);
    }
    await client.close();
  }
}

/** The numbers of the states of the documents under an address. */
const storedStates = async (set: MemberSet, databaseName: string) => {
  const client = set.client({ service: serviceCount - 1 });
  const users = client.db(databaseName).collection('users');
  const statesOf = async (address: string): Promise<readonly number[]> => {
    const found = await users.find({ email: keyOf(addressOf(address)) }).toArray();
    return found.map(({ properties }): number => JSON.parse(properties).state);
  };
  return { statesOf, close: () => client.close() };
};

const runRound = async ({ set, databaseName, callers }: Services, fault: Fault, round: number): Promise<Round> => {
  const primary = await set.settled();
  const workload = new Workload(callers);
  const driver = new BareDriver(set, serviceCount - 1, databaseName);
  const records = [...workload.clients, driver];
  workload.start(writers, readers);
  await eventually(async () => {
    if (records.some(({ successes }) => successes.length < warmUpWrites)) throw new Error('writes did not start');
  }, recoveryTimeoutMs);
  const from = performance.now();
  const what = await fault.cause(set, primary, round);
  await set.settled();
  const healed = performance.now();
  await eventually(async () => {
    if (records.some(({ successes }) => !(successes.at(-1)! > healed))) throw new Error('writes did not succeed again');
  }, recoveryTimeoutMs);
  const end = performance.now();
  await Promise.all([workload.stop(), driver.stop()]);

  const { statesOf, close } = await storedStates(set, databaseName);
  const histories = await workload.histories(statesOf);
  await close();
  const violations = histories.flatMap(findViolations);
  for (const { kind, request, possible, since } of violations.slice(0, 20))
    console.error(
      `round ${round + 1}, ${what}: ${kind}; possible were states ${possible.join(' to ')} since ${Math.round(since - from)} ms: ` +
        `${JSON.stringify(request, (_, value) => (typeof value === 'number' && !Number.isInteger(value) ? Math.round(value - from) : value))}`,
    );
  for (const { status, body } of workload.unexpected.slice(0, 5))
    console.error(`round ${round + 1}: ${status} ${body}`);
  const measured = fault.services.map((service) => workload.clients[service]!);
  return {
    violations,
    unexpected: workload.unexpected.length,
    writes: workload.clients.reduce((sum, { successes }) => sum + successes.length, 0),
    requests: histories.reduce((sum, { requests }) => sum + requests.length, 0),
    failures: measured.reduce((sum, { failures }) => sum + failures.length, 0),
    outageMs: longestPause(measured, from, end),
    driverOutageMs: longestPause([driver], from, end),
  };
};

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

const medianAndLongest = (durationsMs: readonly number[]): string => {
  const sorted = [...durationsMs].sort((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return [median, sorted.at(-1) ?? 0].map((ms) => `${(ms / 1_000).toFixed(1)} s`).join(' and ');
};

const plural: Readonly<Record<Violation['kind'], string>> = {
  'lost write': 'lost writes',
  'stale read': 'stale reads',
  'old password accepted': 'old passwords accepted',
  'right password refused': 'right passwords refused',
  'user not found': 'users not found',
  'duplicate user': 'duplicate users',
};

/** Counts what must be zero; throws an error with the figures when something is not. */
const summary = (rounds: readonly Round[], { isPlanned = false }: Fault): string => {
  const violations = rounds.flatMap((round) => round.violations);
  const total = (field: 'unexpected' | 'writes' | 'requests' | 'failures') => sum(rounds.map((round) => round[field]));
  const counts = violationKinds.map(
    (name) => `${violations.filter(({ kind }) => kind === name).length} ${plural[name]}`,
  );
  const figures =
    `${rounds.length} rounds, ${total('writes')} acknowledged writes in ${total('requests')} requests, ` +
    `${[...counts, `${total('unexpected')} answers with another status`].join(', ')}; ` +
    `${total('failures')} requests failed; ` +
    `median and longest pause of writes ${medianAndLongest(rounds.map(({ outageMs }) => outageMs))}, ` +
    `of the driver alone ${medianAndLongest(rounds.map(({ driverOutageMs }) => driverOutageMs))}`;
  const isBroken =
    violations.length > 0 ||
    total('unexpected') > 0 ||
    (isPlanned && total('failures') > 0) ||
    (isPlanned && isSoakRun && rounds.some(({ outageMs }) => outageMs > plannedOutageMs));
  if (isBroken) throw new Error(figures);
  return figures;
};

/** A round is one fault under load on two services. */
export const failover = (set: () => MemberSet, fault: Fault): Guarantee => ({
  name: `on three MongoDB members ${fault.name} loses no write and makes no answer wrong`,
  rounds: fault.rounds,
  timeoutMs: 120_000,
  run: async (count) => {
    const installation = await Installation.create();
    const databaseName = `failover-${Date.now()}`;
    const { connectionString } = set();
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
      return summary(rounds, fault);
    } finally {
      await set().links.restore();
      await installation.dispose();
    }
  },
});
