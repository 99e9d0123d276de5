import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { clientHeaders, createUser, eachWithInstallation, type Serving } from './installation.ts';

const recovery = { pageUrl: 'https://app.example.com/new-password' };
const passwordHash = { algorithm: 'sha256', serverSideHash: true };

describe('requests for a recovery in a process', function () {
  this.timeout(60_000);
  const installation = eachWithInstallation();

  const request = async ({ url }: Serving, address: string): Promise<void> => {
    const sent = await fetch(`${url}/recovery?email=${address}`, { method: 'POST', headers: clientHeaders });
    expect(sent.status).to.equal(202);
  };

  const healthOf = async ({ adminUrl }: Serving): Promise<{ readonly healthy: boolean; readonly message: string }> =>
    Object(await (await fetch(`${adminUrl}/healthcheck`)).json()).recovery;

  const metricsOf = async ({ adminUrl }: Serving): Promise<string> => (await fetch(`${adminUrl}/metrics`)).text();

  /** Stores a request as another version of the service might, which this one cannot read. */
  const storeUnreadable = (ageMs: number): void => {
    const database = new Database(join(installation().folder, 'users.db'));
    const time = Date.now() - ageMs;
    database
      .prepare('INSERT INTO events (destination, id, time, body, due, attempts) VALUES (?, ?, ?, ?, ?, 0)')
      .run('recovery', `${time}-${randomUUID()}`, time, '{"version":2}', time);
    database.close();
  };

  it('are counted, for known and unknown addresses alike', async () => {
    await installation().configure({ passwordHash, recovery });
    const serving = await installation().serve();
    expect(await createUser(serving.url, 'jane@example.com')).to.equal(201);
    expect(await healthOf(serving)).to.deep.equal({ healthy: true, message: 'requests are processed, 0 waiting' });
    for (const address of ['jane@example.com', 'nobody@example.com']) await request(serving, address);
    await eventually(
      async () => expect(await metricsOf(serving)).to.match(/^latchkey_recovery_requests_processed_total 2$/m),
      10_000,
    );
    for (const name of ['failed_total', 'dropped_total', 'expired_total', 'oldest_age_seconds'])
      expect(await metricsOf(serving)).to.match(new RegExp(`^latchkey_recovery_requests_${name} 0$`, 'm'));
  });

  it('show how many wait and for how long, while they are not processed', async () => {
    await installation().configure({ passwordHash, recovery });
    const first = await installation().serve();
    expect(await first.stop()).to.equal(0);
    storeUnreadable(90_000);
    storeUnreadable(60_000);
    const checked = await installation().command(['check', 'latchkey.yaml']);
    expect(checked.stdout).to.match(/^ok +recovery: 2 waiting$/m);
    const serving = await installation().serve();
    await eventually(
      async () => expect(await metricsOf(serving)).to.match(/^latchkey_recovery_requests_failed_total [2-9]$/m),
      10_000,
    );
    const metrics = await metricsOf(serving);
    expect(metrics).to.match(/^latchkey_recovery_requests_waiting 2$/m);
    expect(Number(/^latchkey_recovery_requests_oldest_age_seconds (\S+)$/m.exec(metrics)?.[1])).to.be.within(90, 150);
    const { healthy, message } = await healthOf(serving);
    expect(healthy).to.equal(true);
    expect(message).to.match(/, 2 waiting, the oldest for \d+ s$/);
  });

  it('warn once where another service on the database is configured otherwise', async () => {
    const warning = /another service on this database has another block recovery/;
    const addresses = Array.from({ length: 8 }, (_, index) => `nobody-${index}@example.com`);
    /** Stops while requests wait for their delay, so that the next start processes them. */
    const leaveRequests = async (): Promise<void> => {
      await installation().configure({ passwordHash, recovery });
      const serving = await installation().serve();
      await Promise.all(addresses.map((address) => request(serving, address)));
      expect(await serving.stop()).to.equal(0);
    };
    for (const [block, warnings] of [
      [recovery, 0],
      [{ pageUrl: 'https://other.example.com/new-password' }, 1],
    ] as const) {
      await leaveRequests();
      await installation().configure({ passwordHash, recovery: block });
      const serving = await installation().serve();
      await eventually(async () => expect(await metricsOf(serving)).to.match(/processed_total [1-8]$/m), 10_000);
      expect(serving.run.log.filter(({ msg }) => warning.test(String(msg)))).to.have.length(warnings);
      expect(await serving.stop()).to.equal(0);
    }
  });

  it('have neither a line nor metrics without the block', async () => {
    const serving = await installation().serve();
    expect(await healthOf(serving)).to.equal(undefined);
    expect(await metricsOf(serving)).not.to.include('latchkey_recovery');
  });
});
