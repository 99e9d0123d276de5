import { expect } from 'chai';
import { Installation } from '../process/installation.ts';
import type { PrivateEngine } from '../support/engines/index.ts';
import { eventually } from '../support/recovery.ts';
import { at, Caller } from './caller.ts';
import { freshAddress, type RemoteDatabase } from './databases.ts';
import type { Promised } from './guarantee.ts';

const password = 'a password of the suspension';
const operationTimeout = 1_500;

/** How long the server itself may take until it works again, in milliseconds; the service's time starts then. */
const patienceWithServer = 60_000;

type Harm = readonly ['stop' | 'pause', 'start' | 'resume'];
const harms: readonly Harm[] = [
  ['pause', 'resume'],
  ['stop', 'start'],
];

interface Scene {
  readonly database: RemoteDatabase;
  readonly caller: Caller;
  readonly admin: Caller;
  /** The address of a user who exists. */
  readonly known: string;
}

/** Harms the server, looks at every answer meanwhile, and at the recovery. */
const harmOnce = async (server: PrivateEngine, [harm, heal]: Harm, scene: Scene): Promise<void> => {
  const { caller, admin, known, database } = scene;
  const read = () => caller.call('GET', at(known), undefined, { password });
  await server[harm]();
  try {
    const started = performance.now();
    const create = caller.call('POST', '/users', { email: { address: freshAddress() }, password });
    for (const answer of await Promise.all([read(), create])) expect(answer?.status, answer?.body).to.equal(503);
    expect(performance.now() - started).to.be.lessThan(operationTimeout + 1_000);
    await eventually(async () => expect((await admin.call('GET', '/readyz'))?.status).to.equal(503), 5_000);
  } finally {
    await server[heal]();
  }
  await eventually(() => database.works(), patienceWithServer);
  await eventually(async () => expect((await read())?.status).to.equal(200), 5_000);
  await eventually(async () => expect((await admin.call('GET', '/readyz'))?.status).to.equal(200), 5_000);
};

/** Stops and freezes the server of a database, which is its own. A round is one of the two. */
export const survivesSuspension = (server: () => PrivateEngine, database: RemoteDatabase): Promised => ({
  name: `while the server of ${database.name} is stopped or frozen calls get 503 in time, and are served within 5 s of its return`,
  // A server takes its time to come back, and the tests of the stores do this once each.
  rounds: { short: 0, long: 6 },
  patience: 120_000,
  run: async (rounds) => {
    const installation = await Installation.create();
    const { yaml, dispose } = await database.open();
    try {
      await installation.configure({ database: yaml, operationTimeout: `${operationTimeout}ms` });
      const serving = await installation.serve();
      const scene = {
        database,
        caller: new Caller(serving.url),
        admin: new Caller(serving.adminUrl),
        known: freshAddress(),
      };
      const first = { email: { address: scene.known }, password };
      await eventually(
        async () => expect((await scene.caller.call('POST', '/users', first))?.status).to.be.oneOf([201, 409]),
        5_000,
      );
      for (let round = 0; round < rounds; round++)
        await harmOnce(server(), harms[round % 2] ?? ['pause', 'resume'], scene);
      scene.caller.close();
      scene.admin.close();
      const errors = serving.run.log.filter(({ level }) => Number(level) >= 50);
      expect(errors, 'errors in the log').to.deep.equal([]);
      expect(await serving.stop()).to.equal(0);
      return `${rounds} times stopped or frozen, every answer right and in time`;
    } finally {
      await installation.dispose();
      await dispose();
    }
  },
});
