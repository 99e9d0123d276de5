import { keyOf } from '../../../domain/email-address.ts';
import { addressOf } from '../../../sdk/contract/arbitraries.ts';
import { Installation } from '../../process/installation.ts';
import { Caller } from '../caller.ts';
import type { Fault } from '../failover/fault.ts';
import { operationTimeoutMs, type ReadStates, runRound } from '../failover/round.ts';
import { type Round, summarize } from '../failover/round-summary.ts';
import type { Guarantee } from '../guarantee.ts';
import { type ServerPair, serviceCount } from './server-pair.ts';

/** What a primary stores: the states under an address. */
const readStates = async (pair: ServerPair, table: string): Promise<ReadStates> => {
  const primary = pair.servers[await pair.settled()]!;
  // A reservation of an address has no state.
  const users = `SELECT key, properties FROM ${table} WHERE reserved_until IS NULL`;
  const properties = JSON.parse(
    String(await primary.query(`SELECT json_object_agg(key, properties)::text FROM (${users}) users`)),
  );
  return async (address) => {
    const stored: unknown = properties[keyOf(addressOf(address))];
    return typeof stored === 'string' ? [JSON.parse(stored).state] : [];
  };
};

/** A round is one fault of a primary and its synchronous standby under load on two services. */
export const standbyFailover = (pair: () => ServerPair, fault: Fault<ServerPair>): Guarantee => ({
  name: `on a PostgreSQL primary with a synchronous standby ${fault.name} loses no write, and every response is correct`,
  rounds: fault.rounds,
  timeoutMs: 120_000,
  run: async (count, random) => {
    const table = `failover_${Date.now()}`;
    const installations: Installation[] = [];
    const callers: Caller[] = [];
    try {
      for (let service = 0; service < serviceCount; service++) {
        const installation = await Installation.create();
        installations.push(installation);
        const database = { type: 'postgresql', connectionString: pair().connectionString(service), table };
        await installation.configure({ database, operationTimeout: `${operationTimeoutMs}ms` });
        callers.push(new Caller((await installation.serve()).url, operationTimeoutMs + 5_000));
      }
      const rounds: Round[] = [];
      for (let round = 0; round < count; round++) {
        const scenario = {
          callers,
          services: fault.services,
          settled: () => pair().settled(),
          cause: (primary: number) => fault.cause(pair(), primary, round),
          primarySince: () => pair().primarySince,
          withStates: async <Result>(use: (read: ReadStates) => Promise<Result>) =>
            use(await readStates(pair(), table)),
        };
        rounds.push(await runRound(scenario, round, random.stream('round', round)));
      }
      return summarize(rounds, fault);
    } finally {
      for (const caller of callers) caller.close();
      await pair().restore();
      for (const installation of installations) await installation.dispose();
    }
  },
});
