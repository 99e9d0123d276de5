import { expect } from 'chai';
import { Installation } from '../process/installation.ts';
import type { PrivateEngine } from '../support/engines/index.ts';
import { eventually } from '../support/eventually.ts';
import { at, Caller } from './caller.ts';
import type { RemoteDatabase } from './databases.ts';
import type { Guarantee } from './guarantee.ts';
import type { RandomStream } from './random.ts';

const password = 'a password of the suspension';
const operationTimeoutMs = 1_500;

/** How long the server may take to recover. The five seconds of the service start afterwards. */
const serverRecoveryMs = 60_000;

/** What a server of its own for a suite must be able to do. */
type StoppableServer = Pick<PrivateEngine, 'stop' | 'start' | 'pause' | 'resume'>;

type Disruption = readonly ['stop' | 'pause', 'start' | 'resume'];
const disruptions: readonly Disruption[] = [
  ['pause', 'resume'],
  ['stop', 'start'],
];

interface Scenario {
  readonly database: RemoteDatabase;
  readonly caller: Caller;
  readonly admin: Caller;
  /** The address of an existing user. */
  readonly known: string;
  readonly random: RandomStream;
}

/** Stops or freezes the server, checks the responses meanwhile, and the recovery. */
const disruptOnce = async (
  server: StoppableServer,
  [disrupt, restore]: Disruption,
  scenario: Scenario,
): Promise<void> => {
  const { caller, admin, known, database } = scenario;
  const read = () => caller.call('GET', at(known), undefined, { password });
  await server[disrupt]();
  try {
    const started = performance.now();
    const create = caller.call('POST', '/users', { email: { address: scenario.random.address() }, password });
    for (const response of await Promise.all([read(), create])) expect(response?.status, response?.body).to.equal(503);
    expect(performance.now() - started).to.be.lessThan(operationTimeoutMs + 1_000);
    await eventually(async () => expect((await admin.call('GET', '/readyz'))?.status).to.equal(503), 5_000);
  } finally {
    await server[restore]();
  }
  await eventually(() => database.isWritable(), serverRecoveryMs);
  await eventually(async () => expect((await read())?.status).to.equal(200), 5_000);
  await eventually(async () => expect((await admin.call('GET', '/readyz'))?.status).to.equal(200), 5_000);
};

/** A round stops or freezes the database server. */
export const databaseSuspension = (server: () => StoppableServer, database: RemoteDatabase): Guarantee => ({
  name: `while the ${database.name} server is stopped or frozen calls get 503 in time, and succeed within 5 s of its return`,
  // Recovery of a server takes long, and the tests of the stores do this once each.
  rounds: { short: 0, long: 6 },
  timeoutMs: 120_000,
  run: async (rounds, random) => {
    const installation = await Installation.create();
    const { yaml, dispose } = await database.open();
    try {
      await installation.configure({ database: yaml, operationTimeout: `${operationTimeoutMs}ms` });
      const serving = await installation.serve();
      const scenario = {
        database,
        caller: new Caller(serving.url),
        admin: new Caller(serving.adminUrl),
        known: random.address(),
        random,
      };
      const first = { email: { address: scenario.known }, password };
      await eventually(
        async () => expect((await scenario.caller.call('POST', '/users', first))?.status).to.be.oneOf([201, 409]),
        5_000,
      );
      for (let round = 0; round < rounds; round++)
        await disruptOnce(server(), disruptions[round % 2] ?? ['pause', 'resume'], scenario);
      scenario.caller.close();
      scenario.admin.close();
      const errors = serving.run.log.filter(({ level }) => Number(level) >= 50);
      expect(errors, 'errors in the log').to.deep.equal([]);
      expect(await serving.stop()).to.equal(0);
      return `${rounds} times stopped or frozen, every response correct and in time`;
    } finally {
      await installation.dispose();
      await dispose();
    }
  },
});
