import { expect } from 'chai';
import { Installation, type Serving } from '../process/installation.ts';
import { TcpProxy } from '../support/fault-proxy.ts';
import { type Answer, at, Caller } from './caller.ts';
import { freshAddress, type RemoteDatabase } from './databases.ts';
import type { Promised } from './guarantee.ts';

const password = 'a password of the outage';
const operationTimeout = 1_500;

/** Ways in which a network loses a database. */
const outages: readonly ((proxy: TcpProxy) => void | Promise<void>)[] = [
  (proxy) => proxy.refuse(),
  (proxy) => proxy.reset(),
  (proxy) => proxy.silence(),
  (proxy) => proxy.delay(operationTimeout * 3),
];

/** What one round needs: the service behind a proxy, and a user that exists. */
interface Scene {
  readonly serving: Serving;
  readonly proxy: TcpProxy;
  readonly caller: Caller;
  readonly admin: Caller;
  readonly known: string;
}

const create = ({ caller }: Scene, address: string): Promise<Answer | undefined> =>
  caller.call('POST', '/users', { email: { address }, password });

const read = ({ caller, known }: Scene): Promise<Answer | undefined> =>
  caller.call('GET', at(known), undefined, { password });

const ready = async ({ admin }: Scene): Promise<number | undefined> => (await admin.call('GET', '/readyz'))?.status;

/** Asks again until the answer is the one that is waited for; the time is bounded. */
const eventually = async (what: string, patience: number, holds: () => Promise<boolean>): Promise<void> => {
  const until = performance.now() + patience;
  while (!(await holds())) {
    if (performance.now() > until) throw new Error(`${what}: not within ${patience} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** Every call is answered with 503 within the operation timeout while the database is gone, and served soon after. */
const loseDatabase = async (scene: Scene, outage: (typeof outages)[number]): Promise<void> => {
  const { proxy, caller, known } = scene;
  await outage(proxy);
  const started = performance.now();
  const answers = await Promise.all([
    read(scene),
    create(scene, freshAddress()),
    caller.call('PUT', at(known), { email: { address: known } }, { password }),
    caller.call('DELETE', at(known), undefined, { password }),
  ]);
  expect(performance.now() - started).to.be.lessThan(operationTimeout + 1_000);
  for (const answer of answers) expect(answer?.status, answer?.body).to.equal(503);
  await eventually('readiness says 503', 5_000, async () => (await ready(scene)) === 503);
  await proxy.restore();
  await eventually('recovery', 5_000, async () => (await read(scene))?.status === 200);
  await eventually('readiness says 200', 5_000, async () => (await ready(scene)) === 200);
};

/** The write was applied and its reply lost: the answer is still the right one. */
const loseReply = async (scene: Scene): Promise<void> => {
  const address = freshAddress();
  const lost = scene.proxy.loseReply((request) => request.includes(address));
  const answer = await create(scene, address);
  expect(answer?.status, answer?.body).to.equal(201);
  await lost;
  expect((await create(scene, address))?.status).to.equal(409);
};

/** Takes the database away behind a proxy, in each way in turn. A round is one outage. */
export const survivesOutages = (database: RemoteDatabase): Promised => ({
  name: `while ${database.name} is gone calls get 503 in time, and are served within 5 s of its return; a lost reply is no wrong answer`,
  rounds: { short: 5, long: 100 },
  patience: 120_000,
  run: async (rounds) => {
    const installation = await Installation.create();
    const { host, port } = database.address();
    const proxy = await TcpProxy.to(host, port);
    const { yaml, dispose } = await database.openAt(proxy.host, proxy.port);
    try {
      await installation.configure({ database: yaml, operationTimeout: `${operationTimeout}ms` });
      const serving = await installation.serve();
      const [caller, admin] = [new Caller(serving.url), new Caller(serving.adminUrl)];
      const scene: Scene = { serving, proxy, caller, admin, known: freshAddress() };
      await eventually('the first user', 5_000, async () =>
        [201, 409].includes((await create(scene, scene.known))?.status ?? 0),
      );
      for (let round = 0; round < rounds; round++) {
        const outage = outages[round % (outages.length + 1)];
        if (outage === undefined) await loseReply(scene);
        else await loseDatabase(scene, outage);
      }
      caller.close();
      admin.close();
      expect(
        serving.run.log.filter(({ level }) => Number(level) >= 50),
        'errors in the log',
      ).to.deep.equal([]);
      expect(await serving.stop()).to.equal(0);
      return `${rounds} outages and lost replies, every answer right and in time`;
    } finally {
      await installation.dispose();
      await dispose();
      await proxy.close();
    }
  },
});
