import { createServer, type RequestListener, type Server } from 'node:http';
import { expect } from 'chai';
import { createClient } from '../../../../sdk/client/index.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';

const jane = { email: 'jane@example.com', password: 'correct horse' };
const user = {
  email: { address: jane.email, verified: false, verificationToken: null },
  password: 'stored',
  creationTime: 1,
  lastUpdateTime: 1,
};
const unavailable = { type: 'urn:x', title: 'Unavailable', status: 503, detail: '', code: 'store_unavailable' };

describe('the retries of the client', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** Starts a server that fails `failures` times, with `fail`, and then answers. Resolves with its URL and its calls. */
  const failing = async (failures: number, fail: RequestListener) => {
    const calls: number[] = [];
    const server = createServer((request, response) => {
      calls.push(performance.now());
      if (calls.length <= failures) fail(request, response);
      else if (request.url === '/users/check') response.writeHead(204).end();
      else response.writeHead(200, { 'Content-Type': 'application/json', ETag: '"1"' }).end(JSON.stringify(user));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    return { url: typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : '', calls };
  };

  const refuse =
    (headers: Readonly<Record<string, string>> = {}, status = 503): RequestListener =>
    (_, response) =>
      response
        .writeHead(status, { 'Content-Type': 'application/problem+json', ...headers })
        .end(JSON.stringify({ ...unavailable, status }));

  const cut: RequestListener = (request) => request.socket.destroy();

  for (const [name, fail] of [
    ['503', refuse()],
    ['502 of a proxy', refuse({}, 502)],
    ['a connection that is closed', cut],
  ] as const) {
    it(`repeat reads, checks and confirmations after ${name}`, async () => {
      for (const method of ['getUser', 'checkPassword', 'confirmVerification'] as const) {
        const { url, calls } = await failing(2, fail);
        const client = createClient({ url, retries: 2 });
        expect(await client[method]({ ...jane, token: 'a token' })).to.have.property('ok', true);
        expect(calls, method).to.have.lengthOf(3);
      }
    });
  }

  it('are off by default, and end after the number that is configured', async () => {
    for (const [retries, expected] of [
      [undefined, 1],
      [2, 3],
    ] as const) {
      const { url, calls } = await failing(9, refuse());
      const client = createClient({ url, ...(retries !== undefined && { retries }) });
      expect(await client.getUser(jane)).to.deep.include({ ok: false });
      expect(calls).to.have.lengthOf(expected);
    }
  });

  it('do not repeat what changes a user, or what the service refuses', async () => {
    const { url, calls } = await failing(9, refuse());
    const client = createClient({ url, retries: 5 });
    await client.createUser({ email: { address: jane.email }, password: jane.password });
    await client.updateUser(jane, { email: { address: jane.email } });
    await client.patchUser(jane, { plan: 'free' });
    await client.deleteUser(jane);
    await client.sendVerification(jane);
    await client.confirmVerification({ email: jane.email, token: 'a', ifMatch: '"1"' });
    expect(calls).to.have.lengthOf(6);
    const limited = await failing(9, refuse({ 'Retry-After': '7' }, 429));
    const outcome = await createClient({ url: limited.url, retries: 5 }).getUser(jane);
    expect(outcome).to.include({ ok: false, retryAfterSeconds: 7 });
    expect(limited.calls).to.have.lengthOf(1);
  });

  it('wait as long as the service asks for, unless the timeout ends before', async () => {
    const { url, calls } = await failing(1, refuse({ 'Retry-After': '1' }));
    expect(await createClient({ url, retries: 1 }).getUser(jane)).to.have.property('ok', true);
    expect((calls[1] ?? 0) - (calls[0] ?? 0)).to.be.at.least(999);

    const late = await failing(1, refuse({ 'Retry-After': '60' }));
    const outcome = await createClient({ url: late.url, retries: 1, timeout: 5_000 }).getUser(jane);
    expect(outcome).to.include({ ok: false, retryAfterSeconds: 60 });
  });

  it('end with the signal and the timeout of the call', async () => {
    const { url } = await failing(100, cut);
    const client = createClient({ url, retries: 100, timeout: 300 });
    expect(await rejection(client.getUser(jane))).to.have.property('name', 'TimeoutError');
    const reason = new Error('the caller aborted');
    const signal = AbortSignal.abort(reason);
    expect(await rejection(client.getUser(jane, { signal }))).to.equal(reason);
  });
});
