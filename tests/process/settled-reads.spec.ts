import { Agent, request } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { eachWithInstallation, type Serving } from './installation.ts';

/** A client of the service, with its own connections. */
class SettledReader {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 50 });

  constructor(
    private readonly url: string,
    private readonly application: string,
  ) {}

  /** Resolves with the status, and with `Retry-After`. */
  read(address: string): Promise<readonly [status: number | undefined, retryAfter: string | undefined]> {
    const Authorization = `Basic ${Buffer.from(`${this.application}:development-only`).toString('base64')}`;
    const headers = { Authorization, Prefer: 'settled', password: 'of nobody' };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.url}/users?email=${address}`, { agent: this.agent, headers });
      sent.once('error', reject).once('response', (response) => {
        response.resume().once('end', () => resolve([response.statusCode, response.headers['retry-after']]));
      });
      sent.end();
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Passes an hour every two seconds, and lets the timers of minutes end in seconds. */
const fastForward = `
const { now } = performance;
performance.now = () => now.call(performance) + Math.floor(now.call(performance) / 2_000) * 3_600_000;
const real = globalThis.setTimeout;
globalThis.setTimeout = (run, ms, ...rest) => real(run, ms >= 60_000 ? ms / 100 : ms, ...rest);
`;

describe('settled reads of unknown users', function () {
  this.timeout(120_000);
  const installation = eachWithInstallation();

  const serve = async (flags: readonly string[] = []): Promise<Serving> => {
    const keys = ['one', 'other'].map((application) => ({ application, secret: 'development-only' }));
    await installation().configure({ auth: { type: 'basic', keys } });
    return installation().serve({}, undefined, flags);
  };

  /** The rows of the users and of the reservations. */
  const rows = (): number => {
    const database = new Database(join(installation().folder, 'users.db'), { readonly: true });
    const { count } = database.prepare<[], { count: number }>('SELECT count(*) AS count FROM users').get() ?? {
      count: Number.NaN,
    };
    database.close();
    return count;
  };

  it('of one client are refused when it reserves too many addresses, and those of others are not', async () => {
    const { url } = await serve();
    const one = new SettledReader(url, 'one');
    const other = new SettledReader(url, 'other');
    const addresses = Array.from({ length: 6_000 }, (_, n) => `unknown-${n}@example.com`);
    const answers = await Promise.all(addresses.map((address) => one.read(address)));
    const statuses = new Set(answers.map(([status]) => status));
    expect([...statuses].sort()).to.deep.equal([404, 503]);
    for (const [status, retryAfter] of answers) expect(retryAfter).to.equal(status === 503 ? '60' : undefined);
    expect((await one.read('another@example.com'))[0]).to.equal(503);
    expect((await one.read('unknown-0@example.com'))[0], 'renewed').to.equal(404);
    expect((await other.read('another@example.com'))[0]).to.equal(404);
    one.close();
    other.close();
  });

  it('leave nothing behind when their process is killed', async () => {
    const killed = await serve();
    const reader = new SettledReader(killed.url, 'one');
    for (const name of ['ada', 'grace', 'jane']) {
      expect((await reader.read(`${name}@example.com`))[0]).to.equal(404);
    }
    reader.close();
    await killed.stop('SIGKILL');
    expect(rows()).to.be.at.least(3);
    await installation().write('fast-forward.mjs', fastForward);
    await serve(['--import', './fast-forward.mjs']);
    await eventually(async () => expect(rows()).to.equal(0), 60_000);
  });
});
