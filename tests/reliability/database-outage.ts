import { expect } from 'chai';
import type { Serving } from '../process/installation.ts';
import type { TcpProxy } from '../support/fault-proxy.ts';
import { at, Caller, type HttpResponse } from './caller.ts';
import { type RemoteDatabase, withProxy } from './databases.ts';
import type { Guarantee } from './guarantee.ts';
import type { RandomStream } from './random.ts';

const password = 'a password of the outage';
const operationTimeoutMs = 1_500;

/** Ways to make the database unreachable. */
const outages: readonly ((proxy: TcpProxy) => void | Promise<void>)[] = [
  (proxy) => proxy.refuse(),
  (proxy) => proxy.reset(),
  (proxy) => proxy.silence(),
  (proxy) => proxy.delay(operationTimeoutMs * 3),
];

/** What a round needs: the service, the proxy in front of its database, and an existing user. */
interface Scenario {
  readonly serving: Serving;
  readonly proxy: TcpProxy;
  readonly caller: Caller;
  readonly admin: Caller;
  readonly known: string;
  readonly random: RandomStream;
}

const create = ({ caller }: Scenario, address: string): Promise<HttpResponse | undefined> =>
  caller.call('POST', '/users', { email: { address }, password });

const read = ({ caller, known }: Scenario): Promise<HttpResponse | undefined> =>
  caller.call('GET', at(known), undefined, { password });

const ready = async ({ admin }: Scenario): Promise<number | undefined> => (await admin.call('GET', '/readyz'))?.status;

/** Polls until a condition holds; throws after the timeout. */
const waitUntil = async (what: string, timeoutMs: number, holds: () => Promise<boolean>): Promise<void> => {
  const until = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > until) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** While the database is unreachable every call gets 503 within the operation timeout; afterwards calls succeed. */
const loseDatabase = async (scenario: Scenario, outage: (typeof outages)[number]): Promise<void> => {
  const { proxy, caller, known } = scenario;
  await outage(proxy);
  const started = performance.now();
  const responses = await Promise.all([
    read(scenario),
    create(scenario, scenario.random.address()),
    caller.call('PUT', at(known), { email: { address: known } }, { password }),
    caller.call('DELETE', at(known), undefined, { password }),
  ]);
  expect(performance.now() - started).to.be.lessThan(operationTimeoutMs + 1_000);
  for (const response of responses) expect(response?.status, response?.body).to.equal(503);
  await waitUntil('readiness is 503', 5_000, async () => (await ready(scenario)) === 503);
  await proxy.restore();
  await waitUntil('recovery', 5_000, async () => (await read(scenario))?.status === 200);
  await waitUntil('readiness is 200', 5_000, async () => (await ready(scenario)) === 200);
};

/** Drops the database's reply to a write: the response must be correct nevertheless. */
const loseReply = async (scenario: Scenario): Promise<void> => {
  const address = scenario.random.address();
  const lost = scenario.proxy.loseReply((request) => request.includes(address));
  const response = await create(scenario, address);
  expect(response?.status, response?.body).to.equal(201);
  await lost;
  expect((await create(scenario, address))?.status).to.equal(409);
};

/** A round is one outage, or one lost reply. */
export const databaseOutage = (database: RemoteDatabase): Guarantee => ({
  name: `while ${database.name} is unreachable calls get 503 in time, and succeed within 5 s of its return; a lost reply does not change the response`,
  rounds: { short: 5, long: 100 },
  timeoutMs: 120_000,
  run: (rounds, random) =>
    withProxy(database, async ({ installation, proxy, yaml }) => {
      await installation.configure({ database: yaml, operationTimeout: `${operationTimeoutMs}ms` });
      const serving = await installation.serve();
      const [caller, admin] = [new Caller(serving.url), new Caller(serving.adminUrl)];
      const scenario: Scenario = { serving, proxy, caller, admin, known: random.address(), random };
      await waitUntil('creating the first user', 5_000, async () =>
        [201, 409].includes((await create(scenario, scenario.known))?.status ?? 0),
      );
      for (let round = 0; round < rounds; round++) {
        const outage = outages[round % (outages.length + 1)];
        if (outage === undefined) await loseReply(scenario);
        else await loseDatabase(scenario, outage);
      }
      caller.close();
      admin.close();
      expect(
        serving.run.log.filter(({ level }) => Number(level) >= 50),
        'errors in the log',
      ).to.deep.equal([]);
      expect(await serving.stop()).to.equal(0);
      return `${rounds} outages and lost replies, every response correct and in time`;
    }),
});
