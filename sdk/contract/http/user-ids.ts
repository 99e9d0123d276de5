import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { ApiResponse } from './api-response.ts';
import { type Client, newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';

export const withIds = { users: { ids: true } };

/** An id that no other test uses. */
export const newId = (): string => `usr_${randomUUID()}`;

/** Creates a user with a new id. */
export const createdWithId = async (client: Client) => {
  const id = newId();
  return { id, query: { id }, ...(await client.create({ properties: { id } })) };
};

const uuidOfVersion7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** Creates a user with an id. */
const post = (client: Client, id: unknown, address = newAddress(), password = newPassword()): Promise<ApiResponse> =>
  client.post('/users', { body: { id, email: { address }, password } });

const creations = (harness: Harness): void => {
  it('is chosen by the caller, and returned after the times of the user', async () => {
    const { client } = await harness.service(withIds);
    const id = newId();
    const { address, password, user } = await client.create({ properties: { id, plan: 'free' } });
    const members = ['email', 'password', 'creationTime', 'lastUpdateTime', 'id', 'plan'];
    expect(Object.keys(user)).to.deep.equal(members);
    expect(user.id).to.equal(id);
    expect((await client.read({ address, password })).user).to.deep.equal(user);
  });

  it('is a UUID of version 7 of its own for each user otherwise', async () => {
    const { client } = await harness.service(withIds);
    const ids = [(await client.create()).user.id, (await client.create()).user.id];
    for (const id of ids) expect(id).to.match(uuidOfVersion7);
    expect(new Set(ids).size).to.equal(2);
  });

  it('has 1 to 64 of its characters', async () => {
    const { client } = await harness.service(withIds);
    const longest = `${newId()}:._-${'x'.repeat(64)}`.slice(0, 64);
    expect((await post(client, longest)).user.id).to.equal(longest);
    for (const invalid of ['', `${longest}x`, 'a b', 'ä', 'a/b', 'a\n', '.', '..', 12, null, ['a'], { id: 'a' }]) {
      const response = await post(client, invalid);
      expect([response.refusal, ...response.paths], JSON.stringify(invalid)).to.deep.equal(['400 invalid_body', 'id']);
    }
    const twice = await client.post('/users', { body: { id: '', email: {}, password: '' } });
    expect([...twice.paths].sort()).to.deep.equal(['email.address', 'id', 'password']);
  });

  it('409 id_taken for another address, also at the same time, and user_exists that tells a repeated request', async () => {
    const { client } = await harness.service(withIds);
    const [id, address, password] = [newId(), newAddress(), newPassword()];
    expect((await post(client, id, address, password)).status).to.equal(201);
    expect((await post(client, id)).refusal).to.equal('409 id_taken');
    const repeated = await post(client, id, address, password);
    expect([repeated.refusal, repeated.problem.sameId]).to.deep.equal(['409 user_exists', true]);
    for (const other of [newId(), undefined]) {
      const conflict = await post(client, other, address, password);
      expect([conflict.refusal, conflict.problem.sameId]).to.deep.equal(['409 user_exists', false]);
    }
    const wanted = newId();
    const racing = await Promise.all(Array.from({ length: 16 }, () => post(client, wanted)));
    expect(racing.filter(({ status }) => status === 201)).to.have.length(1);
    expect(racing.filter(({ status }) => status === 409).map(({ refusal }) => refusal)).to.deep.equal(
      new Array(15).fill('409 id_taken'),
    );
  });
};

const changes = (harness: Harness): void => {
  it('stays through a PUT, a PATCH, a new address and a new password, which may repeat it', async () => {
    const { client } = await harness.service(withIds);
    const id = newId();
    let { address, password } = await client.create({ properties: { id, plan: 'free' } });
    const bodies = [{ plan: 'pro' }, { id, plan: 'pro' }, { id }, {}];
    for (const method of ['PUT', 'PATCH']) {
      for (const properties of bodies) {
        const moved = { address: newAddress(), password: newPassword() };
        const body = { email: { address: moved.address }, password: moved.password, ...properties };
        const changed = await client.send(method, '/users', { query: { email: address }, password, body });
        expect([changed.status, changed.user.id, changed.user.email.address]).to.deep.equal([200, id, moved.address]);
        ({ address, password } = moved);
        expect((await client.read({ address, password })).user).to.deep.equal(changed.user);
      }
    }
  });

  it('409 id_immutable for another one, and nothing changes', async () => {
    const { client } = await harness.service(withIds);
    const account = await client.create();
    for (const method of ['PUT', 'PATCH']) {
      const body = { id: newId(), email: { address: account.address }, plan: 'pro' };
      const sent = { query: { email: account.address }, password: account.password };
      expect((await client.send(method, '/users', { ...sent, body })).refusal).to.equal('409 id_immutable');
      const invalid = await client.send(method, '/users', { ...sent, body: { ...body, id: null } });
      expect([invalid.refusal, ...invalid.paths]).to.deep.equal(['400 invalid_body', 'id']);
    }
    expect((await client.read(account)).user).to.deep.equal(account.user);
  });

  it('is another one after a deletion', async () => {
    const { client } = await harness.service(withIds);
    const { address, password, user } = await client.create();
    expect((await client.delete('/users', { query: { email: address }, password })).user.id).to.equal(user.id);
    expect((await client.create({ address })).user.id)
      .to.match(uuidOfVersion7)
      .and.not.equal(user.id);
  });
};

const introductions = (harness: Harness): void => {
  it('is given by PUT and PATCH to a user from before, who shows none until then, also not as a custom property', async () => {
    const [former, { client }] = [await harness.service(), await harness.service(withIds)];
    for (const method of ['PUT', 'PATCH']) {
      const account = await former.client.create({ properties: { 'i\u0064': { of: 'another system' }, plan: 'free' } });
      expect((await client.read(account)).properties).to.deep.equal({ plan: 'free' });
      const id = newId();
      const sent = { query: { email: account.address }, password: account.password };
      const body = { id, email: { address: account.address }, plan: 'free' };
      const taken = await client.send(method, '/users', {
        ...sent,
        body: { ...body, id: (await client.create()).user.id },
      });
      expect(taken.refusal).to.equal('409 id_taken');
      expect((await client.send(method, '/users', { ...sent, body })).properties).to.deep.equal({ id, plan: 'free' });
      expect((await client.get('/users', { query: { id }, password: account.password })).properties).to.deep.equal({
        id,
        plan: 'free',
      });
    }
  });

  it('is no custom property, and hides one that was stored without the option', async () => {
    const [former, { client }] = [await harness.service(), await harness.service(withIds)];
    const { id, address, password } = await createdWithId(client);
    const read = await former.client.read({ address, password });
    expect(read.properties).to.deep.equal({});
    const own = { query: { email: address }, password, body: { id: 'of another system' } };
    expect((await former.client.send('PATCH', '/users', own)).properties).to.deep.equal(own.body);
    expect((await client.read({ address, password })).text.match(/"id":"[^"]*"/g)).to.deep.equal([`"id":"${id}"`]);
  });

  it('is an ordinary custom property without the option', async () => {
    const { client } = await harness.service();
    const [one, other] = [{ id: 'a b' }, { id: [1.5, null] }];
    const account = await client.create({ properties: one });
    expect(account.user.id).to.equal('a b');
    const again = await client.post('/users', { body: { email: { address: account.address }, password: 'x' } });
    expect(again.problem).to.not.have.property('sameId');
    const sent = { query: { email: account.address }, password: account.password };
    expect((await client.send('PATCH', '/users', { ...sent, body: other })).properties).to.deep.equal(other);
    const byId = await client.get('/users', { query: { id: 'a' }, password: account.password });
    expect([byId.refusal, ...byId.paths]).to.deep.equal(['400 invalid_parameter', 'query.email']);
    expect(byId.problem.errors).to.deep.equal([{ path: 'query.email', message: 'is required' }]);
  });
};

/** The id of a user (`users.ids`). */
export const userIds = (harness: Harness): void => {
  describe('the id of a user', () => {
    if (harness.lacks('names')) {
      it('is refused at the start', async () => {
        const refused = await harness.service(withIds).catch((error: unknown) => error);
        expect(refused).to.have.property('message').that.includes('users.ids');
      });
      return;
    }
    creations(harness);
    changes(harness);
    introductions(harness);
  });
};
