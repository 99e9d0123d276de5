import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { clientHeaders, createUser, eachWithInstallation } from './installation.ts';

const headers = { ...clientHeaders, password: 'correct horse' };

describe('the times of a verification', function () {
  this.timeout(20_000);
  const installation = eachWithInstallation();
  const configure = (times: object, workers = 1): Promise<void> =>
    installation().configure({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, workers },
      email: { type: 'outbox', directory: 'outbox', ...times },
    });
  const send = (url: string): Promise<Response> =>
    fetch(`${url}/verify?email=jane@example.com`, { method: 'POST', headers });

  it('survive a restart: the interval and the lifetime continue', async () => {
    await configure({ resendInterval: '1h' });
    const first = await installation().serve();
    expect(await createUser(first.url, 'jane@example.com')).to.equal(201);
    const { email } = JSON.parse(await (await send(first.url)).text());
    expect(await first.stop()).to.equal(0);
    const second = await installation().serve();
    const refused = await send(second.url);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 3_000]).to.deep.equal([429, true]);
    expect(await second.stop()).to.equal(0);
    await configure({ tokenLifetime: '1ms' });
    const third = await installation().serve();
    await sleep(5);
    const link = `${third.url}/verify?email=jane@example.com&token=${email.verificationToken}`;
    expect(JSON.parse(await (await fetch(link)).text())).to.include({ status: 400, code: 'token_expired' });
  });

  it('hold for all workers: one of many concurrent requests for a user sends a mail', async () => {
    await configure({ resendInterval: '1h' }, 2);
    const { url } = await installation().serve();
    expect(await createUser(url, 'jane@example.com')).to.equal(201);
    const responses = await Promise.all(Array.from({ length: 32 }, () => send(url)));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([200, ...new Array<number>(31).fill(429)]);
  });
});
