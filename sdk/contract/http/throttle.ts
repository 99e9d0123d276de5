import { expect } from 'chai';
import { inMemoryAttempts } from '../../../adapters/stores/rate-limited-attempts.ts';
import { Fault } from '../../../application/fault.ts';
import type { AttemptCounter, AttemptLimits } from '../../../application/ports/attempt-counter.ts';
import { InMemoryUserStore } from '../in-memory-user-store.ts';
import type { ApiResponse } from './api-response.ts';
import { type Client, newAddress, newPassword, type Sent } from './client.ts';
import type { Blocks, Harness, TestService } from './harness.ts';

/** Blocks a user after three wrong passwords. Client addresses are not counted, because all tests have the same one. */
const throttle = { failures: 3, clientFailures: 0, block: '1h' };
const header = 'X-Client-Address';

let addresses = 0;

/** A unique client address. */
const newClientAddress = (): string => `198.51.100.${++addresses}`;

const guess = (client: Client, email: string, sent: Sent = {}): Promise<ApiResponse> =>
  client.get('/users', { query: { email }, password: newPassword(), ...sent });

/** Sends wrong passwords for an existing user. */
const fail = async (client: Client, email: string, times: number): Promise<void> => {
  for (let failed = 0; failed < times; failed++)
    expect((await guess(client, email)).refusal).to.equal('401 wrong_password');
};

const tooMany = '429 too_many_attempts';

const secondsIn = (response: ApiResponse): number => Number(response.headers.get('retry-after'));

/** Polls until a response matches; fails after ten seconds. */
const until = async (
  ask: () => Promise<ApiResponse>,
  fits: (response: ApiResponse) => boolean,
): Promise<ApiResponse> => {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const response = await ask();
    if (fits(response)) return response;
    expect(performance.now(), response.text).to.be.below(deadline);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

const ofUsers = (harness: Harness): void => {
  it('401 until there are too many wrong passwords, then 429 with Retry-After, also for the correct one', async () => {
    const { client } = await harness.service({ throttle });
    const account = await client.create();
    await fail(client, account.address, 3);
    for (const password of [newPassword(), account.password]) {
      const response = await guess(client, account.address, { password });
      expect(response.refusal).to.equal(tooMany);
      expect(secondsIn(response)).to.be.within(3_540, 3_600);
    }
    await client.read(await client.create());
  });

  it('counts wrong passwords over all endpoints with a password header, and blocks all of them', async () => {
    const { client } = await harness.service({ throttle: { ...throttle, failures: 5 } });
    const { address: email, password } = await client.create();
    const calls = (given: string): readonly (() => Promise<ApiResponse>)[] => [
      () => client.get('/users', { query: { email }, password: given }),
      () => client.put('/users', { password: given, body: { email: { address: email } } }),
      () => client.delete('/users', { query: { email }, password: given }),
      () => client.post('/verify', { query: { email }, password: given }),
      () => client.post('/verify/reset', { query: { email }, password: given }),
    ];
    for (const call of calls(newPassword())) expect((await call()).refusal).to.equal('401 wrong_password');
    for (const call of calls(password)) expect((await call()).refusal).to.equal(tooMany);
  });

  it('blocks an unknown user in the same way, ignoring the case of the address', async () => {
    const { client } = await harness.service({ throttle });
    const email = newAddress();
    for (let failed = 0; failed < 3; failed++)
      expect((await guess(client, email)).refusal).to.equal('404 user_not_found');
    expect((await guess(client, email.toUpperCase())).refusal).to.equal(tooMany);
  });

  it('a correct password clears the count', async () => {
    const { client } = await harness.service({ throttle });
    const account = await client.create();
    for (let round = 0; round < 3; round++) {
      await fail(client, account.address, 2);
      await client.read(account);
    }
  });

  it('does not count requests without a password: 400', async () => {
    const { client } = await harness.service({ throttle });
    const account = await client.create();
    for (const password of [undefined, '', undefined, ''])
      expect((await guess(client, account.address, { password })).refusal).to.equal('400 invalid_parameter');
    await fail(client, account.address, 2);
    await client.read(account);
  });

  it('counts a password and its possible typos as one attempt', async () => {
    const passwordHash = { algorithm: 'sha256', serverSideHash: true, allowCommonMistakes: true };
    const { client } = await harness.service({ throttle, passwordHash });
    const account = await client.create();
    await fail(client, account.address, 2);
    await client.read({ ...account, password: `${account.password}x` });
    await fail(client, account.address, 3);
    expect((await guess(client, account.address)).refusal).to.equal(tooMany);
  });

  it('allows no more concurrent guesses', async () => {
    const { client } = await harness.service({ throttle });
    const { address } = await client.create();
    const responses = await Promise.all(Array.from({ length: 64 }, () => guess(client, address)));
    expect(responses.filter(({ status }) => status === 401)).to.have.length(3);
    expect(responses.filter(({ refusal }) => refusal === tooMany)).to.have.length(61);
  });

  it('accepts all correct passwords, however many come at once', async () => {
    const { client } = await harness.service({ throttle });
    const account = await client.create();
    await Promise.all(Array.from({ length: 64 }, () => client.read(account)));
  });
};

const overTime = (harness: Harness): void => {
  it('Retry-After decreases, and after the block passwords are checked again, with a new count', async () => {
    const { client } = await harness.service({ throttle: { ...throttle, block: '2s' } });
    const account = await client.create();
    await fail(client, account.address, 3);
    const ask = () => guess(client, account.address, { password: account.password });
    const first = await ask();
    expect(first.refusal).to.equal(tooMany);
    const later = await until(ask, (response) => response.status === 200 || secondsIn(response) < secondsIn(first));
    expect(secondsIn(later)).to.be.below(secondsIn(first));
    await until(ask, ({ status }) => status === 200);
    await fail(client, account.address, 3);
  });

  it('forgets wrong passwords after the window', async () => {
    const { client } = await harness.service({ throttle: { ...throttle, failures: 2, window: '200ms' } });
    const account = await client.create();
    await fail(client, account.address, 1);
    await new Promise((resolve) => setTimeout(resolve, 250));
    // Otherwise this would be one too many.
    await fail(client, account.address, 1);
    await client.read(account);
  });
};

const acrossServices = (harness: Harness): void => {
  if (harness.lacks('attempts')) {
    it('warns that each process counts separately', async () => {
      const { log } = await harness.service({ throttle });
      expect((await log()).some((line) => line.includes('the database cannot count wrong passwords'))).to.equal(true);
    });
    return;
  }

  it('counts over all services that share the database', async () => {
    const one = await harness.service({ throttle });
    const other = await harness.service({ throttle, openApi: { enabled: false } });
    const account = await one.client.create();
    await fail(one.client, account.address, 2);
    await fail(other.client, account.address, 1);
    for (const { client } of [one, other])
      expect((await guess(client, account.address, { password: account.password })).refusal).to.equal(tooMany);
  });
};

const ofAddresses = (harness: Harness): void => {
  const named: Blocks = { throttle: { ...throttle, clientFailures: 4, clientHeader: header } };
  const from = (address: string): Sent => ({ headers: { [header]: address } });

  /** Sends four wrong passwords for four users from one client address. */
  const spread = async (client: Client, sent: Sent): Promise<void> => {
    for (let failed = 0; failed < 4; failed++)
      expect((await guess(client, newAddress(), sent)).refusal).to.equal('404 user_not_found');
  };

  it('counts for the client address in the header, over all users, and blocks only that address', async () => {
    const { client } = await harness.service(named);
    const account = await client.create();
    const address = newClientAddress();
    await spread(client, from(address));
    const right = { password: account.password };
    expect((await guess(client, account.address, { ...from(address), ...right })).refusal).to.equal(tooMany);
    expect((await guess(client, account.address, { ...from(newClientAddress()), ...right })).status).to.equal(200);
  });

  it('a correct password does not clear the count of the client address', async () => {
    const { client } = await harness.service(named);
    const account = await client.create();
    const sent = from(newClientAddress());
    for (let failed = 0; failed < 4; failed++) {
      expect((await guess(client, newAddress(), sent)).status).to.equal(404);
      if (failed < 3)
        expect((await guess(client, account.address, { ...sent, password: account.password })).status).to.equal(200);
    }
    expect((await guess(client, newAddress(), sent)).refusal).to.equal(tooMany);
  });

  it('counts the addresses of an IPv6 network together', async () => {
    const { client } = await harness.service(named);
    for (const host of ['::1', ':1:2:3:4', '::', ':ffff:0:0:1'])
      expect((await guess(client, newAddress(), from(`2001:db8:7:${++addresses % 2}${host}`))).status).to.equal(404);
    const responses = await Promise.all(
      ['2001:db8:7:0::9', '2001:db8:7:1::9'].map((at) => guess(client, newAddress(), from(at))),
    );
    expect(responses.map(({ status }) => status)).to.deep.equal([404, 404]);
    await spread(client, from('2001:db8:8::1'));
    expect((await guess(client, newAddress(), from('2001:0DB8:8:0:ffff::2'))).refusal).to.equal(tooMany);
    expect((await guess(client, newAddress(), from('2001:db8:8:1::1'))).status).to.equal(404);
  });

  for (const wrong of ['', 'somewhere', '192.0.2.1, 192.0.2.2', '192.0.2.1:80', '300.0.0.1']) {
    it(`400 for the address "${wrong}"`, async () => {
      const { client } = await harness.service(named);
      const response = await guess(client, newAddress(), from(wrong));
      expect(response.refusal).to.equal('400 invalid_parameter');
      expect(response.paths).to.deep.equal([`header.${header}`]);
    });
  }

  it('counts for the address of the connection, or that from a trusted proxy, without a configured header', async () => {
    const server = { host: '127.0.0.1', port: 0, adminPort: 0, trustProxy: true };
    const { client, warnings } = await harness.service({ server, throttle: { ...throttle, clientFailures: 4 } });
    expect(warnings.join('\n')).to.include('throttle.clientHeader is absent');
    const behind = (address: string): Sent => ({
      headers: { 'X-Forwarded-For': `${newClientAddress()}, ${address}`, [header]: '192.0.2.1' },
    });
    const address = newClientAddress();
    for (let failed = 0; failed < 4; failed++)
      expect((await guess(client, newAddress(), behind(address))).status).to.equal(404);
    expect((await guess(client, newAddress(), behind(address))).refusal).to.equal(tooMany);
    expect((await guess(client, newAddress(), behind(`::ffff:${address}`))).refusal).to.equal(tooMany);
    expect((await guess(client, newAddress(), behind(newClientAddress()))).status).to.equal(404);
  });

  it('counts for an IPv4 address in any notation', async () => {
    const { client } = await harness.service(named);
    const [one, other] = [newClientAddress(), newClientAddress()];
    const hex = (address: string): string => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      return [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':');
    };
    for (const spelling of [one, `::ffff:${one}`, `::ffff:${hex(one)}`, `0:0:0:0:0:ffff:${one}`])
      expect((await guess(client, newAddress(), from(spelling))).status, spelling).to.equal(404);
    expect((await guess(client, newAddress(), from(one))).refusal).to.equal(tooMany);
    for (const spelling of [`::ffff:${hex(other)}`, `0:0:0:0:0:ffff:${other}`])
      expect((await guess(client, newAddress(), from(spelling))).status, spelling).to.equal(404);
  });

  it('counts for the connection when the header is missing, and ignores forwarded addresses', async () => {
    const { client } = await harness.service(named);
    const behind = (): Sent => ({ headers: { 'X-Forwarded-For': newClientAddress() } });
    for (let failed = 0; failed < 4; failed++)
      expect((await guess(client, newAddress(), behind())).status).to.equal(404);
    expect((await guess(client, newAddress(), behind())).refusal).to.equal(tooMany);
    expect((await guess(client, newAddress(), from(newClientAddress()))).status).to.equal(404);
  });
};

const described = (harness: Harness): void => {
  const documentOf = async ({ client }: TestService): Promise<string> =>
    (await client.get('/openapi.json', { authorization: null })).text;

  it('has its header in the OpenAPI document only if it is configured', async () => {
    const clientHeader = 'X-Only-Here';
    const service = await harness.service({ throttle: { ...throttle, clientFailures: 4, clientHeader } });
    expect(await documentOf(service)).to.include(clientHeader);
    expect(await documentOf(await harness.service({ throttle }))).to.not.include(clientHeader);
  });

  it('has metrics', async () => {
    const { client, adminUrl } = await harness.service({ throttle });
    const { address } = await client.create();
    await fail(client, address, 3);
    await guess(client, address);
    const text = await (await fetch(`${adminUrl}/metrics`)).text();
    expect(text).to.match(/^latchkey_bus_messages_total\{type="GetUser",outcome="too_many_attempts"\} [1-9]/m);
  });
};

const withoutCounts = (harness: Harness): void => {
  it('503, also for the correct password, while counting fails', async () => {
    const store = new InMemoryUserStore();
    let fault: Fault | undefined;
    const attempts = async (limits: AttemptLimits): Promise<AttemptCounter> => {
      const inner = inMemoryAttempts(limits);
      const status = inner.status.bind(inner);
      inner.status = async (attempt) => {
        if (fault !== undefined) throw fault;
        return status(attempt);
      };
      return inner;
    };
    const { client } = await harness.serviceOn({ ...store.ports, attempts }, { throttle });
    const account = await client.create();
    fault = new Fault('store_unavailable', 'down');
    const sent = { query: { email: account.address }, password: account.password };
    expect((await client.get('/users', sent)).refusal).to.equal('503 store_unavailable');
    fault = undefined;
    await client.read(account);
  });
};

/** Limits on wrong passwords, for a user and for a client address. */
export const throttling = (harness: Harness): void => {
  describe('throttle', () => {
    describe('for a user', () => ofUsers(harness));
    describe('over time', () => overTime(harness));
    acrossServices(harness);
    describe('for an address', () => ofAddresses(harness));
    described(harness);
    // These tests need a store in the same process.
    (harness.takesStores ? describe : describe.skip)('without counts', () => withoutCounts(harness));
  });
};
