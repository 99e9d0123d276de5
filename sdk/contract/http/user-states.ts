import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { administered, administrated, pathOf } from './administration.ts';
import type { ApiResponse } from './api-response.ts';
import { type Account, type Client, newAddress, newPassword, type Sent } from './client.ts';
import type { Harness } from './harness.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const reason = 'The mailbox was taken over, ticket 4711';
const disabled = '403 user_disabled';
const changeRequired = '403 password_change_required';
const wrong = '401 wrong_password';

/** A stored hash of the algorithm sha256. */
const sha256Hash = (salt: string, password: string): string =>
  salt +
  createHash('sha256')
    .update(salt + password)
    .digest('hex');

/** Every change of an administrator that refuses an outdated user: the method, the end of the path and the body. */
const changesOfAdministrators = () =>
  [
    ['PATCH', '', { a: 1 }],
    ['POST', '/disable', { reason }],
    ['POST', '/enable', undefined],
    ['POST', '/require-password-change', undefined],
    ['POST', '/withdraw-password-change', undefined],
    ['POST', '/reset', undefined],
    ['POST', '/mark-verified', undefined],
    ['POST', '/send-verification', undefined],
    ['PUT', '/password', { password: newPassword() }],
    ['DELETE', '/password', undefined],
  ] as const;

/** Sends every request that needs the password of a user. */
const requestsOf = async (client: Client, { address }: Account, sent: Sent): Promise<readonly string[]> => {
  const query = { email: address };
  const requests = [
    () => client.get('/users', { ...sent, query }),
    () => client.get('/users', { ...sent, query, headers: { Prefer: 'settled' } }),
    () => client.put('/users', { ...sent, query, body: { email: { address }, changed: true } }),
    () => client.send('PATCH', '/users', { ...sent, query, body: { changed: true } }),
    () => client.delete('/users', { ...sent, query }),
    () => client.post('/verify', { ...sent, query }),
    () => client.post('/users/check', { body: { email: { address }, password: sent.password } }),
    () => client.post('/verify/reset', { ...sent, query }),
  ];
  const refusals: string[] = [];
  for (const request of requests) refusals.push((await request()).refusal);
  return refusals;
};

const emailIn = (response: ApiResponse): unknown => {
  expect(response.status, response.text).to.equal(200);
  expect(response.text).not.to.include('"password"');
  return Object(response.json).email;
};

const disable = (root: Client, { address }: Account, body: object = { reason }): Promise<ApiResponse> =>
  root.post(`${pathOf(address)}/disable`, { body });

const disabling = (harness: Harness): void => {
  it('disables a user: 403 for the right password, 401 for a wrong one, and nothing else changes', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create({ properties: { name: 'Jane' } });
    const email = emailIn(await disable(root, account));
    expect(email).to.include({ address: account.address, disabledReason: reason }).and.to.have.property('disabledTime');
    expect(new Set(await requestsOf(client, account, { password: account.password }))).to.deep.equal(
      new Set([disabled]),
    );
    expect(new Set(await requestsOf(client, account, { password: newPassword() }))).to.deep.equal(new Set([wrong]));
    const refused = await client.get('/users', { query: { email: account.address }, password: account.password });
    expect(refused.headers.get('retry-after')).to.equal(null);
    expect(refused.text).not.to.include(reason);
    expect(emailIn(await root.get(pathOf(account.address)))).to.deep.equal(email);
    expect(emailIn(await root.post(`${pathOf(account.address)}/enable`))).to.deep.equal(
      administered(account.user).email,
    );
    const { user } = await client.read(account);
    expect({ ...user, lastUpdateTime: 0 }).to.deep.equal({ ...account.user, lastUpdateTime: 0 });
  });

  it('disables a user until a time, with Retry-After, and then lets the user in again', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create();
    const read = () => client.get('/users', { query: { email: account.address }, password: account.password });
    await disable(root, account, { reason, until: Date.now() + 3_600_000 });
    const refused = await read();
    expect(refused.refusal).to.equal(disabled);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(3_000, 3_600);
    await disable(root, account, { reason, until: Date.now() + 500 });
    const deadline = performance.now() + 20_000;
    for (let status = 0; status !== 200; ) {
      status = (await read()).status;
      expect(performance.now()).to.be.below(deadline);
    }
    await client.put('/users', { password: account.password, body: { email: { address: account.address } } });
    expect((await read()).status).to.equal(200);
  });

  it('ends the verification link of a user who is disabled, because another person may have it', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create();
    const token = await client.token(account);
    await disable(root, account);
    const query = { email: account.address, token };
    expect((await client.get('/verify', { query })).refusal).to.equal('400 token_mismatch');
    await root.post(`${pathOf(account.address)}/enable`);
    expect((await client.get('/verify', { query })).refusal).to.equal('400 token_mismatch');
    const renewed = { ...query, token: await client.token(account) };
    expect((await client.get('/verify', { query: renewed })).status).to.equal(200);
  });

  it('does not count the right password of a disabled user as a failure, and counts wrong ones', async () => {
    const throttle = { failures: 3, clientFailures: 0, block: '1h' };
    const { client, root } = await administrated(harness, { throttle });
    const account = await client.create();
    await disable(root, account);
    const read = (password: string) => client.get('/users', { query: { email: account.address }, password });
    for (let count = 0; count < 4; count++) expect((await read(account.password)).refusal).to.equal(disabled);
    for (let count = 0; count < 3; count++) expect((await read(newPassword())).refusal).to.equal(wrong);
    expect((await read(account.password)).refusal).to.equal('429 too_many_attempts');
  });

  it('refuses a disabled user where the password header is not checked', async () => {
    const { client, root } = await administrated(harness, { passwordHash: { headerCheck: false } });
    const account = await client.create();
    await disable(root, account);
    expect(new Set(await requestsOf(client, account, { password: account.password }))).to.deep.equal(
      new Set([disabled]),
    );
  });

  it('400 for a body that is not a reason and a time in the future', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create();
    const bodies: readonly [object, readonly string[]][] = [
      [{}, ['reason']],
      [{ reason: ' ' }, ['reason']],
      [{ reason: 'x'.repeat(501) }, ['reason']],
      [{ reason, until: 1_767_225_600 }, ['until']],
      [{ reason, until: String(Date.now() + 60_000) }, ['until']],
      [{ reason, untill: Date.now() + 60_000 }, ['untill']],
    ];
    for (const [body, paths] of bodies) {
      const response = await disable(root, account, body);
      expect(response.refusal, JSON.stringify(body)).to.equal('400 invalid_body');
      expect(response.paths).to.deep.equal(paths);
    }
    await client.read(account);
  });
};

const changing = (harness: Harness): void => {
  it('requires a new password: 403 until the user sets another one', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create();
    const { address, password } = account;
    const email = emailIn(await root.post(`${pathOf(address)}/require-password-change`));
    expect(email).to.have.property('changeRequiredTime');
    expect(new Set(await requestsOf(client, account, { password }))).to.deep.equal(new Set([changeRequired]));
    expect(new Set(await requestsOf(client, account, { password: newPassword() }))).to.deep.equal(new Set([wrong]));
    const put = (next: string) => client.put('/users', { password, body: { email: { address }, password: next } });
    expect((await put(password)).refusal, 'the same password').to.equal(changeRequired);
    const next = newPassword();
    expect((await put(next)).status).to.equal(200);
    const { user } = await client.read({ address, password: next });
    expect(user.email).to.deep.equal(account.user.email);
    expect(emailIn(await root.get(pathOf(address)))).not.to.have.property('changeRequiredTime');
  });

  it('lets a user keep a password for which a change was required by mistake', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create();
    const { address, password } = account;
    await root.post(`${pathOf(address)}/require-password-change`);
    const withdraw = () => root.post(`${pathOf(address)}/withdraw-password-change`);
    const withdrawn = await withdraw();
    expect(emailIn(withdrawn)).to.deep.equal(administered(account.user).email);
    await client.read({ address, password });
    expect((await withdraw()).headers.get('etag'), 'nothing changes').to.equal(withdrawn.headers.get('etag'));
  });

  it('requires it of a disabled user only after the user is enabled', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create();
    const { address, password } = account;
    await root.post(`${pathOf(address)}/require-password-change`);
    await disable(root, account);
    const body = { email: { address }, password: newPassword() };
    expect((await client.put('/users', { password, body })).refusal).to.equal(disabled);
    await root.post(`${pathOf(address)}/enable`);
    expect((await client.put('/users', { password, body })).status).to.equal(200);
  });

  it('requires a password for which the current one is not accepted as a typing mistake', async () => {
    const passwordHash = { algorithm: 'sha256', serverSideHash: true, allowCommonMistakes: true };
    const { client, root } = await administrated(harness, { passwordHash });
    const account = await client.create({ password: 'Correct horse' });
    const { address } = account;
    await root.post(`${pathOf(address)}/require-password-change`);
    const set = (supplied: string, password: string) =>
      client.send('PATCH', '/users', { query: { email: address }, password: supplied, body: { password } });
    for (const [supplied, next] of [
      ['Correct horse', 'correct horse'],
      ['Correct horse', 'orrect horse'],
      ['Correct horse', 'Correct hors'],
      ['correct horse', 'cORRECT HORSE'],
      ['Correct horse!', 'correct horse'],
      ['Correct horse!', 'Correct horse'],
    ] as const)
      expect((await set(supplied, next)).refusal, `${next} instead of ${supplied}`).to.equal(changeRequired);
    expect((await set('Correct horse', 'Correct horse 2')).status).to.equal(200);
    const query = { email: address };
    expect((await client.get('/users', { query, password: 'Correct horse' })).refusal).to.equal(wrong);
  });

  it('requires such a password also where the password header is not checked', async () => {
    const passwordHash = { algorithm: 'sha256', serverSideHash: true, allowCommonMistakes: true, headerCheck: false };
    const { client, root } = await administrated(harness, { passwordHash });
    const { address } = await client.create({ password: 'Correct horse' });
    await root.post(`${pathOf(address)}/require-password-change`);
    const set = (password: string) => client.send('PATCH', '/users', { query: { email: address }, body: { password } });
    for (const next of ['Correct horse', 'correct horse', 'cORRECT HORSE'])
      expect((await set(next)).refusal, next).to.equal(changeRequired);
    expect((await set('Correct horse 2')).status).to.equal(200);
  });

  it('requires another password than the current one also where clients hash passwords', async () => {
    const { client, root } = await administrated(harness, { passwordHash: { algorithm: 'sha256' } });
    const password = newPassword();
    const account = await client.create({ password: sha256Hash('a'.repeat(16), password) });
    await root.post(`${pathOf(account.address)}/require-password-change`);
    const query = { email: account.address };
    const set = (next: string) =>
      client.send('PATCH', '/users', { query, password, body: { password: sha256Hash('b'.repeat(16), next) } });
    expect((await set(password)).refusal, 'the same password with another salt').to.equal(changeRequired);
    const next = newPassword();
    expect((await set(next)).status).to.equal(200);
    expect((await client.get('/users', { query, password: next })).status).to.equal(200);
  });

  it('hashes a password that is set in clear also where clients hash passwords', async () => {
    const { client, root } = await administrated(harness, { passwordHash: { algorithm: 'sha256' } });
    const account = await client.create({ password: sha256Hash('a'.repeat(16), newPassword()) });
    const password = newPassword();
    for (const given of [password, sha256Hash('b'.repeat(16), password)]) {
      emailIn(await root.put(`${pathOf(account.address)}/password`, { body: { password: given } }));
      const read = await client.get('/users', { query: { email: account.address }, password });
      expect(read.status, read.text).to.equal(200);
      expect(read.text).not.to.include(password);
    }
  });

  it('sets a password, which replaces the former one', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create();
    const password = newPassword();
    emailIn(await root.put(`${pathOf(account.address)}/password`, { body: { password } }));
    const query = { email: account.address };
    expect((await client.get('/users', { query, password: account.password })).refusal).to.equal(wrong);
    await client.read({ address: account.address, password });
    for (const body of [{}, { password: '' }, { password: 1 }, { password, reason }])
      expect((await root.put(`${pathOf(account.address)}/password`, { body })).refusal).to.equal('400 invalid_body');
  });

  for (const algorithm of ['simple', 'sha256', 'bcrypt'])
    it(`clears a password, so that every one is wrong until another one is set: ${algorithm}`, async () => {
      const passwordHash = { algorithm, serverSideHash: true };
      const { client, root } = await administrated(harness, { passwordHash });
      const account = await client.create();
      emailIn(await root.delete(`${pathOf(account.address)}/password`));
      const query = { email: account.address };
      for (const password of [account.password, account.user.password, '!', '*'])
        expect((await client.get('/users', { query, password })).refusal).to.equal(wrong);
      const body = { email: { address: account.address }, password: 'another' };
      expect((await client.post('/users', { body })).refusal).to.equal('409 user_exists');
      const password = newPassword();
      await root.put(`${pathOf(account.address)}/password`, { body: { password } });
      await client.read({ address: account.address, password });
    });
};

const unblocking = (harness: Harness): void => {
  const throttle = { failures: 3, clientFailures: 0, block: '1h' };

  it('shows and ends the block of a user', async () => {
    const { client, root } = await administrated(harness, { throttle });
    const account = await client.create();
    const attempts = `${pathOf(account.address)}/attempts`;
    expect((await root.get(attempts)).json).to.deep.equal({ failures: 0, blockedForSeconds: 0 });
    const query = { email: account.address };
    for (let count = 0; count < 3; count++)
      expect((await client.get('/users', { query, password: newPassword() })).refusal).to.equal(wrong);
    expect((await client.get('/users', { query, password: account.password })).refusal).to.equal(
      '429 too_many_attempts',
    );
    const { failures, blockedForSeconds } = Object((await root.get(attempts)).json);
    expect([failures, blockedForSeconds > 3_000 && blockedForSeconds <= 3_600]).to.deep.equal([3, true]);
    emailIn(await root.post(`${pathOf(account.address)}/unblock`));
    expect((await root.get(attempts)).json).to.deep.equal({ failures: 0, blockedForSeconds: 0 });
    await client.read(account);
  });

  it('shows and ends the block of the codes of a user', async () => {
    const codeKey = 'a key of thirty-two bytes or more';
    const recovery = { deliver: 'caller', form: 'code', codeKey, attempts: 3 };
    const passwordHash = { algorithm: 'sha256', serverSideHash: true };
    const { client, root } = await administrated(harness, { recovery, passwordHash });
    const account = await client.create();
    const attempts = `${pathOf(account.address)}/attempts`;
    const none = { failures: 0, blockedForSeconds: 0 };
    expect((await root.get(attempts)).json).to.deep.equal({ ...none, recovery: none });
    const { token } = Object((await client.post('/recovery', { query: { email: account.address } })).json);
    const confirm = (code: string) => {
      const body = { email: { address: account.address }, token: code, password: newPassword() };
      return client.post('/recovery/confirm', { body });
    };
    for (let count = 0; count < 3; count++) expect((await confirm('wrong')).refusal).to.equal('400 token_mismatch');
    expect((await confirm(token)).refusal).to.equal('429 too_many_attempts');
    const { recovery: counted } = Object((await root.get(attempts)).json);
    expect(counted.failures).to.equal(3);
    expect(counted.blockedForSeconds).to.be.within(3_000, 3_600);
    emailIn(await root.post(`${pathOf(account.address)}/unblock`));
    expect((await root.get(attempts)).json).to.deep.equal({ ...none, recovery: none });
    expect((await confirm(token)).status).to.equal(204);
  });

  it('unblocks nothing where wrong passwords are not counted', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create();
    emailIn(await root.post(`${pathOf(account.address)}/unblock`));
    const attempts = await root.get(`${pathOf(account.address)}/attempts`);
    expect(attempts.json).to.deep.equal({ failures: 0, blockedForSeconds: 0 });
  });
};

const editing = (harness: Harness): void => {
  it('edits custom properties by a merge patch, and leaves the text of others', async () => {
    const { client, root } = await administrated(harness);
    const password = newPassword();
    const address = newAddress();
    const raw = `{"email":{"address":"${address}"},"password":"${password}","rate":1.10,"plan":"trial","nested":{"a":1}}`;
    await client.post('/users', { raw });
    await root.post(`${pathOf(address)}/require-password-change`);
    const body = { plan: 'paid', nested: { a: null, b: 2 }, added: true };
    const response = await root.send('PATCH', pathOf(address), { body });
    expect(response.status, response.text).to.equal(200);
    expect(response.text).to.include('"rate":1.10,"plan":"paid","nested":{"b":2},"added":true}');
    const again = await root.send('PATCH', pathOf(address), { body });
    expect(again.headers.get('etag'), 'nothing changes').to.equal(response.headers.get('etag'));
  });

  it('edits them by the rules of an update', async () => {
    const properties = { allowSubset: true, allowSuperset: false, allowed: [{ name: 'seats', type: 'integer' }] };
    const { client, root } = await administrated(harness, { properties });
    const { address } = await client.create();
    const refused = await root.send('PATCH', pathOf(address), { body: { seats: 'many', other: 1 } });
    expect(refused.refusal).to.equal('400 invalid_properties');
    expect([...refused.paths].sort()).to.deep.equal(['other', 'seats']);
    for (const body of [{ email: { verified: true } }, { password: newPassword() }, { creationTime: 1 }])
      expect((await root.send('PATCH', pathOf(address), { body })).refusal).to.equal('400 invalid_body');
  });

  it('412: the user has changed since it was read', async () => {
    const { client, root } = await administrated(harness);
    const { address } = await client.create();
    const etag = (await root.get(pathOf(address))).headers.get('etag') ?? '';
    const headers = { 'If-Match': etag };
    const changed = await root.post(`${pathOf(address)}/require-password-change`, { headers });
    expect(changed.status).to.equal(200);
    for (const [method, end, body] of changesOfAdministrators())
      expect((await root.send(method, `${pathOf(address)}${end}`, { headers, body })).refusal).to.equal(
        '412 stale_user',
      );
    expect((await root.get(pathOf(address))).headers.get('etag')).to.equal(changed.headers.get('etag'));
  });
};

const listing = (harness: Harness): void => {
  if (harness.lacks('listing')) return;

  it('lists users by state, also together with the other filters', async () => {
    const { client, root } = await administrated(harness);
    const prefix = `state-${randomUUID()}-`;
    const create = (name: string) => client.create({ address: `${prefix}${name}@example.com` });
    await create('usual');
    await disable(root, await create('disabled'));
    await disable(root, await create('for-an-hour'), { reason, until: Date.now() + 3_600_000 });
    const both = await create('both');
    await disable(root, both);
    for (const { address } of [both, await create('change')])
      await root.post(`${pathOf(address)}/require-password-change`);
    const enabled = await create('enabled');
    await disable(root, enabled);
    await root.post(`${pathOf(enabled.address)}/enable`);
    const listed = async (query: Record<string, string>): Promise<readonly string[]> => {
      const names: string[] = [];
      // A page of a large table may have fewer users than match.
      for (let after: string | null = ''; after !== null; ) {
        const given = { address: prefix, ...query, ...(after !== '' && { after }) };
        const response = await root.get('/admin/users', { query: given });
        expect(response.status, response.text).to.equal(200);
        const page: { users: { email: { address: string } }[]; next: string | null } = Object(response.json);
        names.push(...page.users.map(({ email }) => email.address.slice(prefix.length, email.address.indexOf('@'))));
        after = page.next;
      }
      return names.sort();
    };
    expect(await listed({ state: 'disabled' })).to.deep.equal(['both', 'disabled', 'for-an-hour']);
    expect(await listed({ state: 'password_change_required' })).to.deep.equal(['both', 'change']);
    expect(await listed({ state: 'disabled', verified: 'true' })).to.deep.equal([]);
    for (const query of ['state=', 'state=enabled', 'state=disabled&state=disabled'])
      expect((await root.get('/admin/users', { query })).paths, query).to.deep.equal(['query.state']);
  });

  it('lists the users whom wrong passwords block now, page by page', async () => {
    const throttle = { failures: 2, clientFailures: 0, block: '1h' };
    const { client, root } = await administrated(harness, { throttle });
    const prefix = `blocked-${randomUUID()}-`;
    const accounts: Account[] = [];
    for (let count = 0; count < 7; count++)
      accounts.push(await client.create({ address: `${prefix}${count}@example.com` }));
    // Even ones are blocked; the others have one wrong password each.
    for (const [index, { address: email }] of accounts.entries())
      for (let failures = index % 2; failures < 2; failures++)
        await client.get('/users', { query: { email }, password: newPassword() });
    const blocked = async (limit: number): Promise<readonly string[]> => {
      const addresses: string[] = [];
      for (let after: string | undefined, pages = 0; ; pages++) {
        const query = {
          state: 'blocked',
          address: prefix,
          limit: String(limit),
          ...(after !== undefined && { after }),
        };
        const response = await root.get('/admin/users', { query });
        const page: { users: { email: { address: string } }[]; next: string | null } = Object(response.json);
        expect(page.users.length, response.text).to.be.at.most(limit);
        addresses.push(...page.users.map(({ email }) => email.address));
        if (page.next === null) return addresses.sort();
        expect(pages).to.be.below(100);
        after = page.next;
      }
    };
    const every = accounts.filter((_, index) => index % 2 === 0).map(({ address }) => address);
    for (const limit of [1, 3, 50]) expect(await blocked(limit), `limit ${limit}`).to.deep.equal(every);
    const page = await root.get('/admin', { query: { state: 'blocked', address: prefix } });
    expect(page.text).to.include('blocked now').and.include(every[1]).and.not.include(accounts[1]?.address);
    await root.post(`${pathOf(every[0] ?? '')}/unblock`);
    expect(await blocked(50)).to.deep.equal(every.slice(1));
  });

  it('lists no user as blocked where wrong passwords are not counted', async () => {
    const { client, root } = await administrated(harness);
    await client.create();
    const response = await root.get('/admin/users', { query: { state: 'blocked' } });
    expect(response.json).to.deep.equal({ users: [], next: null });
  });
};

/** Does everything to a user that an administrator can do, in this order. */
const doAll = async (root: Client, address: string): Promise<void> => {
  const path = pathOf(address);
  for (const [method, end, body] of [
    ['POST', '/disable', { reason }],
    ['POST', '/disable', { reason }],
    ['POST', '/enable', undefined],
    ['POST', '/enable', undefined],
    ['POST', '/require-password-change', undefined],
    ['POST', '/withdraw-password-change', undefined],
    ['POST', '/withdraw-password-change', undefined],
    ['PUT', '/password', { password: newPassword() }],
    ['DELETE', '/password', undefined],
    ['PATCH', '', { colour: 'green' }],
    ['POST', '/unblock', undefined],
    ['POST', '/mark-verified', undefined],
    ['POST', '/send-verification', undefined],
    ['GET', '/export', undefined],
  ] as const)
    expect((await root.send(method, `${path}${end}`, { body })).status, `${method} ${end}`).to.equal(200);
};

const recording = (harness: Harness): void => {
  it('writes an audit line for each action, with the administrator and without the reason', async () => {
    const file = `${await harness.file('audit-of-states', '')}-lines.jsonl`;
    const { client, root } = await administrated(harness, { audit: { file } });
    const { address } = await client.create();
    await doAll(root, address);
    const lines = async () =>
      (await readFile(file, 'utf8')).split('\n').filter((line) => line.includes(`"user":"${address}"`));
    const deadline = performance.now() + 20_000;
    while ((await lines()).length < 15 && performance.now() < deadline) await setTimeout(20);
    const entries = (await lines()).slice(1).map((line) => JSON.parse(line));
    expect(entries.map(({ operation, client, outcome }) => `${operation} by ${client}: ${outcome}`)).to.deep.equal(
      [
        'disableUser',
        'disableUser',
        'enableUser',
        'enableUser',
        'requirePasswordChange',
        'withdrawPasswordChange',
        'withdrawPasswordChange',
        'setPassword',
        'clearPassword',
        'editProperties',
        'unblockUser',
        'markVerified',
        'mailVerification',
        'exportUser',
      ].map((operation) => `${operation} by root: ok`),
    );
    expect((await lines()).join('')).not.to.include(reason);
  });

  if (harness.lacks('events')) return;

  it('sends an event for each change, without the reason', async () => {
    const receiver = await WebhookReceiver.open();
    try {
      const events = { webhooks: [{ url: `${receiver.url}/states`, secret: receiver.secret }] };
      const { client, root } = await administrated(harness, { events });
      const { address } = await client.create();
      await doAll(root, address);
      const received = await receiver.until('/states', 12);
      expect(received.map(({ body }) => JSON.parse(body).type).sort()).to.deep.equal([
        'password.changed',
        'password.changed',
        'user.created',
        'user.disabled',
        'user.enabled',
        ...Array.from({ length: 5 }, () => 'user.updated'),
        'verification.confirmed',
        'verification.sent',
      ]);
      for (const { body } of received) expect(body).not.to.include(reason);
      const named = received.map(({ body }) => JSON.parse(body).data.changed).filter((names) => names !== undefined);
      expect(named.sort()).to.deep.equal([
        ['colour'],
        ['email.changeRequiredTime'],
        ['email.changeRequiredTime'],
        ['password'],
        ['password'],
      ]);
      const until = Date.now() + 3_600_000;
      await disable(root, await client.create(), { reason, until });
      const later = (await receiver.until('/states', 14)).map(({ body }) => JSON.parse(body));
      const times = later.filter(({ type }) => type === 'user.disabled').map((event) => event.data.until);
      expect(times.sort()).to.deep.equal([until, undefined]);
    } finally {
      await receiver.close();
    }
  });
};

/** What an administrator decides about users on the admin port, and how the public port follows it. */
export const userStates = (harness: Harness): void => {
  describe('the states of users', () => {
    disabling(harness);
    changing(harness);
    unblocking(harness);
    editing(harness);
    listing(harness);
    recording(harness);

    it('404: no user has the address', async () => {
      const { root } = await administrated(harness);
      const path = pathOf(newAddress());
      for (const [method, end, body] of [
        ...changesOfAdministrators(),
        ['POST', '/unblock', undefined],
        ['GET', '/attempts', undefined],
      ] as const)
        expect((await root.send(method, `${path}${end}`, { body })).refusal, end).to.equal('404 user_not_found');
    });
  });
};
