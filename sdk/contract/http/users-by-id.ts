import { expect } from 'chai';
import { newAddress, newPassword, type Sent } from './client.ts';
import type { Harness } from './harness.ts';
import { linksById } from './links-by-id.ts';
import { createdWithId as created, newId, withIds } from './user-ids.ts';

/** The endpoints that read `email`, each with a body that says nothing about the user. */
const endpoints: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['GET', '/users'],
  ['PATCH', '/users', {}],
  ['DELETE', '/users'],
  ['POST', '/verify'],
  ['POST', '/verify/reset'],
];

const queries = (harness: Harness): void => {
  for (const [method, path, body] of endpoints) {
    it(`names the user by the id, or else by the address: ${method} ${path}`, async () => {
      const { client } = await harness.service(withIds);
      const { id, address, password } = await created(client);
      const send = (query: Sent['query']) => client.send(method, path, { query, password, body });
      const missing = await send('');
      expect(missing.refusal).to.equal('400 invalid_parameter');
      expect(missing.problem.errors).to.deep.equal([
        { path: 'query.email', message: 'is required, unless id is given' },
      ]);
      const both = await send({ email: address, id });
      expect(both.refusal).to.equal('400 invalid_parameter');
      expect(both.problem.errors).to.deep.equal([
        { path: 'query.id', message: 'must not be given together with email' },
      ]);
      for (const malformed of ['id=', 'id', 'id=a%20b', `id=${id}&id=${id}`, `id=${'x'.repeat(65)}`])
        expect((await send(malformed)).paths, malformed).to.deep.equal(['query.id']);
      const unknown = await send({ id: newId() });
      expect(unknown.refusal).to.equal('404 user_not_found');
      expect(unknown.problem.detail).to.equal('No user has this email address or id.');
      const { status, user } = await send({ id });
      expect([status, user.id, user.email.address]).to.deep.equal([200, id, address]);
    });
  }

  it('may be missing in a PUT, whose body has the address, and else allows a new address', async () => {
    const { client } = await harness.service(withIds);
    const { address, password, query } = await created(client);
    const put = (given: Sent['query'], to: string) =>
      client.put('/users', { query: given, password, body: { email: { address: to } } });
    expect((await put(undefined, address)).user.id).to.equal(query.id);
    const moved = newAddress();
    const response = await put(query, moved);
    expect([response.user.id, response.user.email.address]).to.deep.equal([query.id, moved]);
    expect((await put({ email: moved, ...query }, address)).paths).to.deep.equal(['query.id']);
  });

  it('checks the password and the version as with the address, and finds the user after a new address', async () => {
    const { client } = await harness.service(withIds);
    const { query, password, ...account } = await created(client);
    expect((await client.get('/users', { query, password: newPassword() })).refusal).to.equal('401 wrong_password');
    const read = await client.get('/users', { query, password });
    expect(read.text).to.equal((await client.read({ ...account, password })).text);
    const ifMatch = { 'If-Match': read.headers.get('etag') ?? '' };
    const body = { email: { address: newAddress() } };
    const moved = await client.send('PATCH', '/users', { query, password, body, headers: ifMatch });
    expect(moved.status).to.equal(200);
    expect((await client.delete('/users', { query, password, headers: ifMatch })).refusal).to.equal('412 stale_user');
    expect((await client.get('/users', { query, password })).text).to.equal(moved.text);
  });
};

const bodies = (harness: Harness): void => {
  it('names the user in a check of the password', async () => {
    const { client } = await harness.service(withIds);
    const { id, address, password } = await created(client);
    const check = (body: object) => client.post('/users/check', { body: { password, ...body } });
    expect((await check({ id })).status).to.equal(204);
    expect((await check({ email: { address } })).status).to.equal(204);
    expect((await check({ id, password: newPassword() })).refusal).to.equal('401 wrong_password');
    expect((await check({ id: newId() })).refusal).to.equal('404 user_not_found');
    const invalid: readonly (readonly [body: object, ...paths: string[]])[] = [
      [{}, 'email'],
      [{ id, email: { address } }, 'id'],
      [{ id: 'a b' }, 'id'],
      [{ id: null }, 'id'],
      [{ id, plan: 'free' }, ''],
      [{ email: { address: 'jane' } }, 'email.address'],
      [{ password: '' }, 'email', 'password'],
    ];
    for (const [body, ...paths] of invalid) {
      const response = await check(body);
      expect([response.refusal, ...response.paths], JSON.stringify(body)).to.deep.equal(['400 invalid_body', ...paths]);
    }
  });

  it('names the user in a recovery', async () => {
    const { client } = await harness.service({ ...withIds, recovery: { deliver: 'caller' } });
    const { id, address, query } = await created(client);
    const issued = await client.post('/recovery', { query });
    expect(issued.status, issued.text).to.equal(200);
    const { token, address: mailed } = Object(issued.json);
    expect(mailed).to.equal(address);
    const password = newPassword();
    const wrong = await client.post('/recovery/confirm', { body: { id: newId(), token, password } });
    expect(wrong.refusal).to.equal('400 token_mismatch');
    expect((await client.post('/recovery/confirm', { body: { id, token, password } })).status).to.equal(204);
    expect((await client.get('/users', { query, password })).status).to.equal(200);
  });
};

const settledReads = (harness: Harness): void => {
  it('reads a user and an unknown one settled, whose id is then free for a create', async () => {
    const { client } = await harness.service(withIds);
    const { query, password } = await created(client);
    const settled = (id: string) => client.get('/users', { query: { id }, password, headers: { Prefer: 'settled' } });
    const known = await settled(query.id);
    expect([known.status, known.headers.get('preference-applied')]).to.deep.equal([200, 'settled']);
    expect(known.headers.get('etag')).to.equal((await client.get('/users', { query, password })).headers.get('etag'));
    const id = newId();
    for (let repeated = 0; repeated < 2; repeated++) {
      const unknown = await settled(id);
      expect([unknown.refusal, unknown.headers.get('preference-applied')]).to.deep.equal([
        '404 user_not_found',
        'settled',
      ]);
    }
    expect((await client.create({ properties: { id } })).user.id).to.equal(id);
  });
};

/** Requests that name a user by the id (`users.ids`). */
export const usersById = (harness: Harness): void => {
  if (harness.lacks('names')) return;
  describe('the id of a user in requests', () => {
    queries(harness);
    bodies(harness);
    settledReads(harness);
    linksById(harness);
  });
};
