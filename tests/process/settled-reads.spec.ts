import { Agent, request } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { clientHeaders, createUser, eachWithInstallation, type Serving } from './installation.ts';

/** A client of the service, with its own connections. */
class SettledReader {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 50 });

  constructor(private readonly url: string) {}

  /** Resolves with the status. */
  read(address: string): Promise<number | undefined> {
    const headers = { ...clientHeaders, Prefer: 'settled', password: 'of nobody' };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.url}/users?email=${address}`, { agent: this.agent, headers });
      sent.once('error', reject).once('response', (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      sent.end();
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** The clock of a process that starts two hours later. */
const twoHoursLater = `
const { now } = Date;
Date.now = () => now() + 2 * 3_600_000;
`;

describe('settled reads of unknown users', function () {
  this.timeout(120_000);
  const installation = eachWithInstallation();

  const serve = async (flags: readonly string[] = []): Promise<Serving> => {
    await installation().configure();
    return installation().serve({}, undefined, flags);
  };

  /** The number of reserved addresses. */
  const reserved = (): number => {
    const database = new Database(join(installation().folder, 'users.db'), { readonly: true });
    const { count } = database.prepare<[], { count: number }>('SELECT count(*) AS count FROM entries').get() ?? {
      count: Number.NaN,
    };
    database.close();
    return count;
  };

  it('of one client reserve as many addresses as it asks for', async () => {
    const { url } = await serve();
    const reader = new SettledReader(url);
    const addresses = Array.from({ length: 6_000 }, (_, n) => `unknown-${n}@example.com`);
    const statuses = await Promise.all(addresses.map((address) => reader.read(address)));
    expect([...new Set(statuses)]).to.deep.equal([404]);
    expect(reserved()).to.equal(addresses.length);
    reader.close();
  });

  it('leave nothing behind that outlives them when their process is killed', async () => {
    const killed = await serve();
    const names = ['ada', 'grace', 'jane'];
    const reader = new SettledReader(killed.url);
    for (const name of names) expect(await reader.read(`${name}@example.com`)).to.equal(404);
    reader.close();
    await killed.stop('SIGKILL');
    expect(reserved()).to.equal(names.length);
    const next = await serve();
    expect(await createUser(next.url, 'ada@example.com'), 'a new user with a reserved address').to.equal(201);
    expect(reserved()).to.equal(names.length - 1);
    await next.stop();
    await installation().write('two-hours-later.mjs', twoHoursLater);
    const last = await serve(['--import', './two-hours-later.mjs']);
    const lastReader = new SettledReader(last.url);
    expect(await lastReader.read('another@example.com')).to.equal(404);
    lastReader.close();
    expect(reserved(), 'only the address of the last read').to.equal(1);
  });
});
