import { expect } from 'chai';
import { createUser, eachWithInstallation } from './installation.ts';

const health = async (adminUrl: string): Promise<{ status: number; lines: readonly string[] }> => {
  const response = await fetch(`${adminUrl}/healthcheck`);
  return { status: response.status, lines: (await response.text()).split('\n').slice(1, -2) };
};

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
  });

  it('reports a broken database file with 503, while the process stays alive', async () => {
    await installation().write('users.db', 'this is no database, and never was one'.repeat(100));
    const { url, adminUrl, stop } = await installation().serve();
    const { status, lines } = await health(adminUrl);
    expect(status).to.equal(503);
    expect(lines[0]).to.include('"database": {"healthy":false');
    expect(lines[1]).to.include('"email": {"healthy":true');
    expect(await statusOf(`${adminUrl}/readyz`)).to.equal(503);
    expect(await statusOf(`${adminUrl}/livez`)).to.equal(200);
    expect(await createUser(url, 'jane@example.com')).to.equal(503);
    expect(await stop()).to.equal(0);
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
