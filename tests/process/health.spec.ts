import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { createUser, eachWithInstallation, readUser } from './installation.ts';

const health = async (adminUrl: string): Promise<{ status: number; lines: readonly string[] }> => {
  const response = await fetch(`${adminUrl}/healthcheck`);
  return { status: response.status, lines: (await response.text()).split('\n').slice(1, -2) };
};

const gaugeOf = async (adminUrl: string): Promise<string | undefined> =>
  /^latchkey_ready (.*)$/m.exec(await (await fetch(`${adminUrl}/metrics`)).text())?.[1];

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

describe('health of a running service', () => {
  const installation = eachWithInstallation();

  it('has a line for each component', async () => {
    const { adminUrl } = await installation().serve();
    const { status, lines } = await health(adminUrl);
    expect(status).to.equal(200);
    expect(lines).to.have.length(2);
    expect(lines[0]).to.match(/^ {2}"database": \{"healthy":true,"message":".+"\},$/);
    expect(lines[1]).to.match(/^ {2}"email": \{"healthy":true,"message":"mails are written to files in outbox"\}$/);
    expect(await statusOf(`${adminUrl}/readyz`)).to.equal(200);
    expect(await statusOf(`${adminUrl}/livez`)).to.equal(200);
    expect(await gaugeOf(adminUrl)).to.equal('1');
  });

  it('is on the public port only if the configuration asks for it', async () => {
    const { url } = await installation().serve();
    expect(await statusOf(`${url}/readyz`)).to.equal(404);
  });

  for (const workers of [1, 2])
    it(`lets a balancer read the readiness on the public port, in ${workers} process(es)`, async () => {
      const server = { host: '127.0.0.1', port: 0, adminPort: 0, workers, readinessOnPublicPort: true };
      await installation().configure({ server });
      const { url, adminUrl } = await installation().serve();
      const [onPublic, onAdmin] = await Promise.all([fetch(`${url}/readyz`), fetch(`${adminUrl}/readyz`)]);
      expect(onPublic.status).to.equal(200);
      expect(onPublic.headers.get('content-type')).to.equal(onAdmin.headers.get('content-type'));
      expect(await onPublic.text()).to.equal(await onAdmin.text());
      expect((await fetch(`${url}/readyz`, { method: 'POST' })).status).to.equal(404);
      expect(await createUser(url, 'jane@example.com')).to.equal(201);
      expect(await (await fetch(`${adminUrl}/metrics`)).text()).not.to.include('method="GET",route="other"');
    });

  it('reports a broken database file with 503, while the process stays alive', async () => {
    await installation().write('users.db', 'this is no database, and never was one'.repeat(100));
    await installation().configure({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, readinessOnPublicPort: true },
    });
    const { url, adminUrl, stop } = await installation().serve();
    const { status, lines } = await health(adminUrl);
    expect(status).to.equal(503);
    expect(lines[0]).to.include('"database": {"healthy":false');
    expect(lines[1]).to.include('"email": {"healthy":true');
    for (const port of [adminUrl, url]) expect(await statusOf(`${port}/readyz`)).to.equal(503);
    expect(await gaugeOf(adminUrl)).to.equal('0');
    expect(await statusOf(`${adminUrl}/livez`)).to.equal(200);
    expect(await createUser(url, 'jane@example.com')).to.equal(503);
    expect(await stop()).to.equal(0);
  });

  it('is ready again with the first request that succeeds, while its check still waits', async () => {
    const { url, adminUrl } = await installation().serve();
    expect(await createUser(url, 'jane@example.com')).to.equal(201);
    const database = new Sqlite(`${installation().folder}/users.db`);
    try {
      // Another process holds the lock for writing: the check waits for it, and reads do not.
      database.exec('BEGIN IMMEDIATE');
      await eventually(async () => expect(await statusOf(`${adminUrl}/readyz`)).to.equal(503), 10_000);
      const ready = statusOf(`${adminUrl}/readyz`);
      await eventually(async () => {
        expect(await readUser(url, 'jane@example.com')).to.equal(200);
        expect(await Promise.race([ready, new Promise((resolve) => setTimeout(resolve, 100))])).to.equal(200);
      }, 10_000);
      const { status, lines } = await health(adminUrl);
      expect(status).to.equal(503);
      expect(lines[0]).to.include('"database": {"healthy":false');
    } finally {
      database.close();
    }
  });

  it('is ready even if mails cannot be sent', async () => {
    await installation().write('outbox', 'a file where a folder should be');
    const { adminUrl } = await installation().serve();
    const { status, lines } = await health(adminUrl);
    expect(status).to.equal(503);
    expect(lines[1]).to.include('"email": {"healthy":false');
    expect(await statusOf(`${adminUrl}/readyz`)).to.equal(200);
  });
});
