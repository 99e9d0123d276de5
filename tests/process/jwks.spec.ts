import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { JwksServer, newKey } from '../../sdk/contract/http/jwks-server.ts';
import { eventually } from '../support/eventually.ts';
import { silentServer } from '../support/tcp-servers.ts';
import { eachWithInstallation } from './installation.ts';

const key = newKey('P-256', { kid: 'the key' });

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

const linesOf = async (adminUrl: string): Promise<string> => (await fetch(`${adminUrl}/healthcheck`)).text();

const ask = (url: string): Promise<Response> => {
  const token = jwt.sign({ iss: 'the issuer' }, key.privateKey, { algorithm: 'ES256', keyid: 'the key' });
  const headers = { Authorization: `Bearer ${token}`, password: 'any' };
  return fetch(`${url}/users?email=jane@example.com`, { headers });
};

describe('a service whose issuer publishes its keys', () => {
  const installation = eachWithInstallation();
  let issuer: JwksServer;
  beforeEach(async () => {
    issuer = await JwksServer.start(key);
    const auth = { type: 'oauth', jwksUrl: issuer.url, issuer: 'the issuer' };
    await installation().configure({ auth, server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 } });
  });
  afterEach(() => issuer.close());

  it('fetches them before the first token arrives, and reports them in its health', async () => {
    const { url, adminUrl } = await installation().serve();
    await eventually(async () => expect(issuer.requests).to.equal(2), 5_000);
    expect((await ask(url)).status).to.equal(404);
    expect(await linesOf(adminUrl)).to.include(
      '"signing keys": {"healthy":true,"message":"1 signing keys of the issuer are known"}',
    );
    expect(issuer.requests, 'one for each worker').to.equal(2);
  });

  it('starts while the issuer is down, answers 503, and recovers soon after the issuer', async () => {
    await issuer.close();
    const { url, adminUrl, run, stop } = await installation().serve();
    const refused = await ask(url);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '5']);
    expect(await refused.json()).to.include({ code: 'keys_unavailable' });
    expect(await linesOf(adminUrl)).to.include(
      '"signing keys": {"healthy":false,"message":"the issuer cannot be reached"}',
    );
    expect(await statusOf(`${adminUrl}/healthcheck`)).to.equal(503);
    expect(await statusOf(`${adminUrl}/readyz`)).to.equal(200);
    await issuer.open();
    await eventually(async () => expect((await ask(url)).status).to.equal(404), 10_000);
    expect(run.stdout + run.stderr).to.not.include(issuer.url);
    expect(await stop()).to.equal(0);
  });

  it('waits for a silent issuer at most as long as the operation timeout', async () => {
    const silent = await silentServer();
    try {
      const auth = { type: 'oauth', jwksUrl: `http://127.0.0.1:${silent.port}/keys`, issuer: 'the issuer' };
      await installation().configure({ auth, operationTimeout: '500ms' });
      const { url } = await installation().serve();
      const refused = await ask(url);
      expect(refused.status).to.equal(503);
      expect(await refused.json()).to.include({ code: 'timed_out' });
    } finally {
      await silent.close();
    }
  });

  it('reports in latchkey check whether the issuer can be reached', async () => {
    const well = await installation().command(['check', 'latchkey.yaml']);
    expect(well.stdout).to.match(/^ok {4}signing keys: 1 signing keys of the issuer are known$/m);
    expect(well.status).to.equal(0);
    await issuer.close();
    const failed = await installation().command(['check', 'latchkey.yaml']);
    expect(failed.stdout).to.match(/^FAIL {2}signing keys: the issuer cannot be reached$/m);
    expect(failed.status).to.equal(1);
  });
});
