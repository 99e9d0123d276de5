import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { administrated, pathOf } from './administration.ts';
import type { ApiResponse } from './api-response.ts';
import { type Client, newAddress, newPassword, type Sent } from './client.ts';
import type { Harness } from './harness.ts';
import { scraped } from './metrics.ts';

const path = '/users/check';

const check = (client: Client, address: string, password: string, sent: Sent = {}): Promise<ApiResponse> =>
  client.post(path, { body: { email: { address }, password }, ...sent });

const expectRight = (response: ApiResponse): void => {
  expect(response.status, response.text).to.equal(204);
  expect(response.text).to.equal('');
};

const hashed = (algorithm: string, options: object = {}) => ({
  passwordHash: { algorithm, serverSideHash: true, ...options },
});

const answers = (harness: Harness): void => {
  it('204 without a body for the right password, regardless of the case of the address', async () => {
    const { client } = await harness.service(hashed('sha256'));
    const { address, password } = await client.create();
    for (const given of [address, address.toUpperCase()]) {
      const response = await check(client, given, password);
      expectRight(response);
      for (const name of ['content-type', 'content-length', 'etag'])
        expect(response.headers.get(name), name).to.equal(null);
      expect(response.headers.get('cache-control')).to.equal('no-store');
    }
  });

  it('401 for a wrong password and 404 for an unknown user, and changes nothing', async () => {
    const { client } = await harness.service(hashed('sha256'));
    const account = await client.create();
    expect((await check(client, account.address, newPassword())).refusal).to.equal('401 wrong_password');
    expect((await check(client, newAddress(), account.password)).refusal).to.equal('404 user_not_found');
    expect((await check(client, account.address, account.user.password)).refusal).to.equal('401 wrong_password');
    expect((await client.read(account)).user).to.deep.equal(account.user);
  });

  it('401 without the authentication of the client, before the body is read', async () => {
    const { client } = await harness.service();
    const { address, password } = await client.create();
    for (const sent of [{}, { body: undefined, raw: 'no JSON' }]) {
      const response = await check(client, address, password, { authorization: null, ...sent });
      expect(response.refusal).to.equal('401 client_unauthorized');
    }
  });

  it('ignores the password header and the address in the query', async () => {
    const { client } = await harness.service();
    const [account, other] = [await client.create(), await client.create()];
    const misleading = { password: other.password, query: { email: other.address } };
    expectRight(await check(client, account.address, account.password, misleading));
    const { address, password } = account;
    const wrong = await check(client, other.address, password, { password: other.password, query: { email: address } });
    expect(wrong.refusal).to.equal('401 wrong_password');
  });

  const invalid: Readonly<Record<string, readonly [body: object, ...paths: string[]]>> = {
    'no password': [{ email: { address: 'jane@example.com' } }, 'password'],
    'an empty password': [{ email: { address: 'jane@example.com' }, password: '' }, 'password'],
    'a password that is no text': [{ email: { address: 'jane@example.com' }, password: 12 }, 'password'],
    'no address': [{ email: {}, password: 'x' }, 'email.address'],
    'an address that is none': [{ email: { address: 'jane' }, password: 'x' }, 'email.address'],
    'an address outside of email': [{ email: 'jane@example.com', password: 'x' }, 'email'],
    'another member': [{ email: { address: 'jane@example.com' }, password: 'x', plan: 'free' }, ''],
    'another member of email': [
      { email: { address: 'jane@example.com', verified: true }, password: 'x' },
      'email.verified',
    ],
    'several errors': [{ email: { address: 'jane' }, plan: 'free' }, '', 'email.address', 'password'],
  };
  for (const [name, [body, ...paths]] of Object.entries(invalid)) {
    it(`400 for ${name}`, async () => {
      const { client } = await harness.service();
      const response = await client.post(path, { body });
      expect(response.refusal).to.equal('400 invalid_body');
      expect([...response.paths].sort()).to.deep.equal(paths);
    });
  }
};

/** Passwords that a header cannot carry, or would change. */
const passwordsOfBodies: Readonly<Record<string, string>> = {
  'spaces around it': '  correct horse ',
  'one space': ' ',
  'a line break': 'correct\r\nhorse\n',
  'a NUL and other control characters': 'correct\0horse\x07\x7f',
  'characters of several scripts': 'pässwörd 密码🔑 كلمة',
  '40,000 characters': `${'long '.repeat(8_000)}!`,
};

const ofBodies = (harness: Harness): void => {
  for (const [name, password] of Object.entries(passwordsOfBodies)) {
    for (const algorithm of ['simple', 'sha256', 'argon2']) {
      it(`checks a password with ${name}, with ${algorithm}`, async () => {
        const { client } = await harness.service(hashed(algorithm, { headerSafe: false }));
        const { address } = await client.create({ password });
        expectRight(await check(client, address, password));
        const others = new Set([password.trim(), `${password} `, `${password}x`, password.slice(0, -1)]);
        for (const other of [...others].filter((given) => given !== password && given !== ''))
          expect((await check(client, address, other)).refusal).to.equal('401 wrong_password');
      });
    }
  }

  it('401 for a password that bcrypt would cut off, and 204 for the longest one', async () => {
    const { client } = await harness.service(hashed('bcrypt', { cost: 4 }));
    const password = 'é'.repeat(36);
    const { address } = await client.create({ password });
    expectRight(await check(client, address, password));
    for (const longer of [`${password}x`, `${password}${'x'.repeat(100_000)}`, `${password.slice(0, 9)}\0`])
      expect((await check(client, address, longer)).refusal).to.equal('401 wrong_password');
  });

  it('401 for a password that fills the body, and 413 above', async () => {
    const { client } = await harness.service(hashed('sha256', { allowCommonMistakes: true }));
    const { address } = await client.create();
    expect((await check(client, address, 'x'.repeat(1_048_000))).refusal).to.equal('401 wrong_password');
    expect((await check(client, address, 'x'.repeat(1_049_000))).refusal).to.equal('413 body_too_large');
  });
};

const likeTheHeader = (harness: Harness): void => {
  it('tolerates the same typing mistakes as the header', async () => {
    const { client } = await harness.service(hashed('sha256', { allowCommonMistakes: true }));
    const password = 'correct Horse Battery 1';
    const { address } = await client.create({ password });
    for (const typed of [`${password}x`, `x${password}`, 'CORRECT hORSE bATTERY 1', ` ${password}`])
      expectRight(await check(client, address, typed));
    expect((await check(client, address, `${password}xx`)).refusal).to.equal('401 wrong_password');
  });

  it('shares the count of wrong passwords with the header, and a right one clears it', async () => {
    const { client } = await harness.service({ throttle: { failures: 2, clientFailures: 0, block: '1h' } });
    const { address, password } = await client.create();
    const query = { email: address };
    const guess = () => client.get('/users', { query, password: newPassword() });
    for (let round = 0; round < 3; round++) {
      expect((await guess()).refusal).to.equal('401 wrong_password');
      expectRight(await check(client, address, password));
    }
    expect((await guess()).refusal).to.equal('401 wrong_password');
    expect((await check(client, address, newPassword())).refusal).to.equal('401 wrong_password');
    const blocked = await check(client, address, password);
    expect(blocked.refusal).to.equal('429 too_many_attempts');
    expect(Number(blocked.headers.get('retry-after'))).to.be.within(3_540, 3_600);
    expect((await client.get('/users', { query, password })).refusal).to.equal('429 too_many_attempts');
  });

  it('counts wrong passwords for the client address in the header', async () => {
    const { client } = await harness.service({
      throttle: { failures: 100, clientFailures: 2, clientHeader: 'X-Client-Address', block: '1h' },
    });
    const { address, password } = await client.create();
    const from = (client: string): Sent => ({ headers: { 'X-Client-Address': client } });
    for (let guess = 0; guess < 2; guess++)
      expect((await check(client, newAddress(), password, from('203.0.113.9'))).status).to.equal(404);
    const refused = await check(client, address, password, from('203.0.113.9'));
    expect(refused.refusal).to.equal('429 too_many_attempts');
    expectRight(await check(client, address, password, from('203.0.113.10')));
    const malformed = await check(client, address, password, from('somewhere'));
    expect(malformed.refusal).to.equal('400 invalid_parameter');
  });

  it('uses the cache of verified passwords, together with the header', async () => {
    const { client, adminUrl } = await harness.service(
      hashed('bcrypt', { cost: 4, cache: { entries: 1_000, ttl: '1h' } }),
    );
    const account = await client.create();
    const hits = async () => (await scraped(adminUrl)).at('latchkey_password_cache_hits_total');
    expectRight(await check(client, account.address, account.password));
    const before = await hits();
    expectRight(await check(client, account.address, account.password));
    await client.read(account);
    expect((await hits()) - before).to.equal(2);
  });

  it('rehashes an outdated hash', async () => {
    const former = await harness.service(hashed('bcrypt', { cost: 4 }));
    const account = await former.client.create();
    const { client } = await harness.service(hashed('bcrypt', { cost: 5, rehash: true }));
    expectRight(await check(client, account.address, account.password));
    const deadline = performance.now() + 10_000;
    let stored = account.user.password;
    while (stored === account.user.password && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      // Reads on the former service, which does not rehash.
      stored = (await former.client.read(account)).user.password;
    }
    expect(stored).to.match(/^\$2b\$05\$/);
    expectRight(await check(client, account.address, account.password));
  });
};

const ofStates = (harness: Harness): void => {
  it('403 for the right password of a disabled user or one who must change it, 401 for a wrong one', async () => {
    const { client, root } = await administrated(harness);
    const { address, password } = await client.create();
    const refusals = async () => {
      const responses = [await check(client, address, password), await check(client, address, newPassword())];
      return responses.map(({ refusal }) => refusal);
    };
    expect((await root.post(`${pathOf(address)}/disable`, { body: { reason: 'a ticket' } })).status).to.equal(200);
    expect(await refusals()).to.deep.equal(['403 user_disabled', '401 wrong_password']);
    expect((await root.post(`${pathOf(address)}/enable`)).status).to.equal(200);
    expectRight(await check(client, address, password));
    expect((await root.post(`${pathOf(address)}/require-password-change`)).status).to.equal(200);
    expect(await refusals()).to.deep.equal(['403 password_change_required', '401 wrong_password']);
  });
};

const unchecked = (harness: Harness): void => {
  describe('with headerCheck: false', () => {
    const blocks = { passwordHash: { algorithm: 'sha256', serverSideHash: true, headerCheck: false } };

    it('checks the password in the body all the same', async () => {
      const { client } = await harness.service(blocks);
      const { address, password } = await client.create();
      expectRight(await check(client, address, password));
      expect((await check(client, address, newPassword())).refusal).to.equal('401 wrong_password');
      expect((await check(client, newAddress(), password)).refusal).to.equal('404 user_not_found');
    });

    it('limits wrong passwords in bodies, and no call that checks none', async () => {
      const { client } = await harness.service({
        ...blocks,
        throttle: { failures: 2, clientFailures: 0, block: '1h' },
      });
      const { address, password } = await client.create();
      for (let guess = 0; guess < 2; guess++)
        expect((await check(client, address, newPassword())).refusal).to.equal('401 wrong_password');
      expect((await check(client, address, password)).refusal).to.equal('429 too_many_attempts');
      expect((await client.get('/users', { query: { email: address } })).status).to.equal(200);
    });
  });
};

/** POST /users/check: a password in the body. */
export const passwordChecks = (harness: Harness): void => {
  describe('POST /users/check', () => {
    answers(harness);
    ofBodies(harness);
    likeTheHeader(harness);
    ofStates(harness);
    unchecked(harness);

    it('leaves no trace of the password, and one audit line with the user and the outcome', async () => {
      const file = `${await harness.file('checks', '')}-audit.jsonl`;
      const { client, adminUrl, log } = await harness.service({ audit: { file }, logging: { requests: 'all' } });
      const { address, password } = await client.create();
      const wrong = newPassword();
      expectRight(await check(client, address, password));
      expect((await check(client, address, wrong)).status).to.equal(401);
      const lines = async () =>
        (await readFile(file, 'utf8')).split('\n').filter((line) => line.includes('checkPassword'));
      const deadline = performance.now() + 5_000;
      while ((await lines()).length < 2 && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 20));
      const entries = (await lines()).map((line) => JSON.parse(line));
      expect(entries.map(({ user, status, outcome }) => `${user} ${status} ${outcome}`)).to.deep.equal([
        `${address} 204 ok`,
        `${address} 401 wrong_password`,
      ]);
      const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
      expect(metrics).to.match(/route="\/users\/check"/);
      expect(metrics).to.match(/type="CheckPassword"/);
      const everything = [await readFile(file, 'utf8'), metrics, ...(await log())].join('\n');
      for (const secret of [password, wrong]) expect(everything).to.not.include(secret);
    });
  });
};
