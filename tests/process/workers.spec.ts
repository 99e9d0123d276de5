import { request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { childrenOf, isStopped } from '../support/child-processes.ts';
import { eventually } from '../support/eventually.ts';
import {
  clientHeaders,
  createUser,
  eachWithInstallation,
  firstReplacementStopped,
  program,
  readUser,
  type Serving,
} from './installation.ts';

const workersOf = ({ run }: Serving): readonly number[] => childrenOf(run.child.pid ?? 0);

/** The status of a request on a new connection, which may reach any worker. */
const statusOnNewConnection = (url: string, method: string, body?: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...clientHeaders, password: 'correct horse' }, agent: false });
    sent.once('error', reject).once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.end(body);
  });

/** How many reads of users had this status, according to the metrics. */
const countedIn = async (adminUrl: string, status: number): Promise<number> => {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  const series = `latchkey_http_request_duration_seconds_count{method="GET",route="/users",status="${status}"}`;
  const line = metrics.split('\n').find((text) => text.startsWith(series));
  return Number(line?.slice(series.length));
};

/** Runs `action` while a process is frozen. */
const whileFrozen = async (pid: number, action: () => Promise<void>): Promise<void> => {
  process.kill(pid, 'SIGSTOP');
  try {
    await action();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
};

describe('several workers', function () {
  this.timeout(20_000);
  const installation = eachWithInstallation();
  const serve = async (): Promise<Serving> => {
    await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 } });
    return installation().serve();
  };

  it('follow what an administrator decides in the primary process: a block ended, and a user disabled', async () => {
    await installation().configure({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 },
      throttle: { failures: 3, clientFailures: 0, block: '1h' },
      admin: { keys: [{ application: 'support', secret: 'of the support team' }] },
    });
    const { url, adminUrl } = await installation().serve();
    await createUser(url, 'jane@example.com');
    const user = `${url}/users?email=jane%40example.com`;
    const wrong = { headers: { ...clientHeaders, password: 'wrong' } };
    for (let count = 0; count < 3; count++) expect((await fetch(user, wrong)).status).to.equal(401);
    expect(await statusOnNewConnection(user, 'GET')).to.equal(429);
    const Authorization = `Basic ${Buffer.from('support:of the support team').toString('base64')}`;
    const headers = { Authorization, 'Content-Type': 'application/json' };
    const decide = async (action: string, body: string | null): Promise<number> =>
      (await fetch(`${adminUrl}/admin/users/jane@example.com/${action}`, { method: 'POST', headers, body })).status;
    expect(await decide('unblock', null)).to.equal(200);
    expect(await statusOnNewConnection(user, 'GET')).to.equal(200);
    expect(await decide('disable', '{"reason":"ticket 4711"}')).to.equal(200);
    const read = await Promise.all(Array.from({ length: 8 }, () => statusOnNewConnection(user, 'GET')));
    expect(new Set(read)).to.deep.equal(new Set([403]));
  });

  it('have one database, one health and one set of metrics', async () => {
    const { url, adminUrl, ...serving } = await serve();
    expect(workersOf({ url, adminUrl, ...serving })).to.have.lengthOf(2);
    const body = JSON.stringify({ email: { address: 'jane@example.com' }, password: 'correct horse' });
    const created = await Promise.all(
      Array.from({ length: 32 }, () => statusOnNewConnection(`${url}/users`, 'POST', body)),
    );
    expect(created.sort()).to.deep.equal([201, ...new Array<number>(31).fill(409)]);
    const read = await Promise.all(
      Array.from({ length: 20 }, () => statusOnNewConnection(`${url}/users?email=jane%40example.com`, 'GET')),
    );
    expect(new Set(read)).to.deep.equal(new Set([200]));
    expect(await (await fetch(`${adminUrl}/healthcheck`)).json()).to.have.keys('database', 'email');
    expect((await fetch(`${adminUrl}/readyz`)).status).to.equal(200);
    expect(await countedIn(adminUrl, 200)).to.equal(20);
  });

  it('continue when a worker is killed, and replace it', async function () {
    this.timeout(60_000);
    await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 } });
    const serving = await installation().serve({}, program, firstReplacementStopped);
    const [victim = 0, survivor = 0] = workersOf(serving);
    const unknown = `${serving.url}/users?email=nobody%40example.com`;
    await Promise.all(Array.from({ length: 20 }, () => statusOnNewConnection(unknown, 'GET')));
    expect(await countedIn(serving.adminUrl, 404)).to.equal(20);
    process.kill(victim, 'SIGKILL');
    await serving.run.until(() => serving.run.stdout.includes('a worker exited and is replaced'));
    expect(await createUser(serving.url, 'jane@example.com')).to.equal(201);
    const replacement = await eventually(async () => {
      const found = workersOf(serving).find((worker) => worker !== survivor && isStopped(worker));
      if (found === undefined) throw new Error('there is no other worker yet');
      return found;
    }, 30_000);
    // While the new worker starts, the other one answers for the service.
    await whileFrozen(replacement, async () => {
      expect((await fetch(`${serving.adminUrl}/readyz`)).status).to.equal(200);
    });
    // A frozen worker takes one connection, so that the other one waits for the new worker and reaches it.
    const jane = `${serving.url}/users?email=jane%40example.com`;
    await whileFrozen(survivor, async () => {
      const read = () => statusOnNewConnection(jane, 'GET');
      expect(await Promise.any([read(), read()])).to.equal(200);
    });
    expect(await readUser(serving.url, 'jane@example.com')).to.equal(200);
    expect(await countedIn(serving.adminUrl, 404), 'counters never decrease').to.equal(20);
  });

  it('are healthy when one of them is killed before it has answered for its health', async () => {
    const serving = await serve();
    const [victim = 0] = workersOf(serving);
    process.kill(victim, 'SIGSTOP');
    const health = fetch(`${serving.adminUrl}/healthcheck`);
    // Both were asked by then, and have more time for an answer.
    await delay(1_000);
    process.kill(victim, 'SIGKILL');
    expect((await health).status).to.equal(200);
  });

  it('have one administration, with the users of all workers', async () => {
    await installation().configure({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 },
      admin: { keys: [{ application: 'root', secret: 'of an administrator' }] },
    });
    const { url, adminUrl, stop } = await installation().serve();
    expect(await createUser(url, 'jane@example.com')).to.equal(201);
    const headers = { Authorization: `Basic ${Buffer.from('root:of an administrator').toString('base64')}` };
    const listed = await fetch(`${adminUrl}/admin/users`, { headers });
    expect(await listed.json()).to.have.nested.property('users[0].email.address', 'jane@example.com');
    const removed = await fetch(`${adminUrl}/admin/users/jane@example.com`, { method: 'DELETE', headers });
    expect(removed.status).to.equal(200);
    expect(await readUser(url, 'jane@example.com')).to.equal(404);
    expect(await stop()).to.equal(0);
  });

  it('serve others after more connections than the system lets them open', async () => {
    await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 } });
    const { url, stop } = await installation().serve({}, program, [], 'ulimit -n 200');
    const sockets = Array.from({ length: 1_000 }, () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1').resume();
      socket.on('error', () => {}).write('GET /verify/success HTTP/1.1\r\nHost: localhost\r\n\r\n');
      return socket;
    });
    const isOver = (socket: Socket) =>
      new Promise<void>((resolve) => void socket.once('data', () => resolve()).once('close', () => resolve()));
    await Promise.all(sockets.map(isOver));
    for (const socket of sockets) socket.destroy();
    await eventually(async () => expect(await createUser(url, 'jane@example.com')).to.equal(201), 5_000);
    for (let count = 0; count < 10; count++)
      expect(await statusOnNewConnection(`${url}/users?email=jane%40example.com`, 'GET')).to.equal(200);
    expect(await stop()).to.equal(0);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`end with 0 on ${signal}`, async () => {
      const serving = await serve();
      const workers = workersOf(serving);
      expect(await serving.stop(signal)).to.equal(0);
      for (const worker of workers) expect(() => process.kill(worker, 0)).to.throw('ESRCH');
    });
  }

  it('end in time even if one of them is frozen', async () => {
    await installation().configure({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 },
      operationTimeout: '100ms',
    });
    const serving = await installation().serve();
    const [frozen = 0] = workersOf(serving);
    process.kill(frozen, 'SIGSTOP');
    expect(await serving.stop()).to.equal(0);
    expect(() => process.kill(frozen, 0)).to.throw('ESRCH');
    const killed = serving.run.log.filter(({ msg }) => String(msg).includes('killed'));
    expect(killed.map(({ worker }) => worker)).to.deep.equal([frozen]);
  });

  it('end when the primary is killed', async () => {
    const serving = await serve();
    const workers = workersOf(serving);
    await serving.stop('SIGKILL');
    await eventually(async () => {
      for (const worker of workers) expect(() => process.kill(worker, 0)).to.throw('ESRCH');
    }, 10_000);
  });

  it('end without a message after a signal while they start', async () => {
    await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 } });
    const signalBeforeListening = `import cluster from 'node:cluster';
      import { Server } from 'node:net';
      const { listen } = Server.prototype;
      if (cluster.isWorker) Server.prototype.listen = function (...args) {
        process.kill(process.ppid, 'SIGTERM');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
        return listen.apply(this, args);
      };`;
    const imported = `data:text/javascript,${encodeURIComponent(signalBeforeListening)}`;
    const run = installation().node(['--import', imported, program, 'serve', 'latchkey.yaml']);
    expect(await run.ended).to.equal(0);
    expect(run.stdout + run.stderr).to.not.match(/uncaught|Unhandled/);
  });

  it('end with 1 and print the reason once if the port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    try {
      const address = other.address();
      if (address === null || typeof address === 'string') throw new TypeError('not a TCP port');
      const { port } = address;
      await installation().configure({ server: { host: '127.0.0.1', port, adminPort: 0, workers: 2 } });
      const { status, stderr } = await installation().command(['serve', 'latchkey.yaml']);
      expect(status).to.equal(1);
      expect(stderr.match(/the port is taken/g)).to.have.lengthOf(1);
    } finally {
      other.close();
    }
  });
});
