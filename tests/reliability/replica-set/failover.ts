import { fileURLToPath } from 'node:url';
import { callTimeoutMs } from '../../../adapters/kit/definition.ts';
import { driverOptions, durableWrite } from '../../../adapters/stores/mongodb/mongodb-connection.ts';
import { keyOf } from '../../../domain/email-address.ts';
import { addressOf } from '../../../sdk/contract/arbitraries.ts';
import { Installation } from '../../process/installation.ts';
import { Caller } from '../caller.ts';
import { BareDriver } from '../failover/bare-driver.ts';
import type { Fault } from '../failover/fault.ts';
import { operationTimeoutMs, type ReadStates, runRound } from '../failover/round.ts';
import { type Round, summarize } from '../failover/round-summary.ts';
import type { Guarantee } from '../guarantee.ts';
import { addressesFor, serviceCount } from './links.ts';
import type { MemberSet } from './member-set.ts';

const resolver = fileURLToPath(new URL('resolve-members.js', import.meta.url));

/** The last service, which no fault separates from the majority; the driver alone uses its links. */
const lastService = { service: serviceCount - 1 };

/** Starts a loop of majority writes by the driver alone, with the timeouts of the service. */
const startDriver = (set: MemberSet, databaseName: string): BareDriver => {
  const timeoutMs = callTimeoutMs(operationTimeoutMs);
  const client = set.client(lastService, driverOptions(timeoutMs));
  const documents = client.db(databaseName).collection('driver', { writeConcern: durableWrite(timeoutMs) });
  return new BareDriver(
    () => documents.updateOne({ name: 'counter' }, { $inc: { count: 1 } }, { upsert: true }),
    () => client.close(),
  );
};

const withStates = async <Result>(
  set: MemberSet,
  databaseName: string,
  use: (read: ReadStates) => Promise<Result>,
): Promise<Result> => {
  const client = set.client(lastService);
  const users = client.db(databaseName).collection('users', { readConcern: { level: 'linearizable' } });
  try {
    return await use(async (address) => {
      const documents = await users.find({ email: keyOf(addressOf(address)) }).toArray();
      // A reservation of an address has no state.
      return documents.flatMap(({ properties }): number[] => JSON.parse(properties).state ?? []);
    });
  } finally {
    await client.close();
  }
};

/** A round is one fault of a replica set under load on two services. */
export const failover = (set: () => MemberSet, fault: Fault<MemberSet>): Guarantee => ({
  name: `on three MongoDB members ${fault.name} loses no write, and every response is correct`,
  rounds: fault.rounds,
  timeoutMs: 120_000,
  run: async (count, random) => {
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
      for (let round = 0; round < count; round++) {
        const scenario = {
          callers,
          services: fault.services,
          settled: () => set().settled(),
          startDriver: () => startDriver(set(), databaseName),
          cause: (primary: number) => fault.cause(set(), primary, round),
          withStates: <Result>(use: (read: ReadStates) => Promise<Result>) => withStates(set(), databaseName, use),
        };
        rounds.push(await runRound(scenario, round, random.stream('round', round)));
      }
      for (const caller of callers) caller.close();
      return summarize(rounds, fault);
    } finally {
      await links.restore();
      await installation.dispose();
    }
  },
});
