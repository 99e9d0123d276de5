import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Client, newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';

const properties = {
  allowed: [
    { name: 'username', type: 'string', unique: true, fold: 'username' },
    { name: 'member', type: 'integer', unique: true },
  ],
};
const withUnique = { properties };

const newUsername = (): string => `jane-${randomUUID()}`;
let members = 0;
const newMember = (): number => ++members;

const create = (client: Client, custom: object, address = newAddress()) =>
  client.post('/users', { body: { email: { address }, password: newPassword(), ...custom } });

const values = (harness: Harness): void => {
  it('409 property_taken for the value of another user, folded, which the errors name, and nothing changes', async () => {
    const { client } = await harness.service(withUnique);
    const [username, member] = [newUsername(), newMember()];
    await client.create({ properties: { username, member } });
    const other = await client.create({ properties: { username: newUsername(), member: newMember() } });
    const sent = { query: { email: other.address }, password: other.password };
    for (const [name, value] of [
      ['username', username.toUpperCase()],
      ['member', member],
    ] as const) {
      const body = { email: { address: other.address }, [name]: value };
      for (const response of [
        await create(client, { [name]: value }),
        await client.put('/users', { ...sent, body }),
        await client.send('PATCH', '/users', { ...sent, body }),
      ]) {
        expect(response.refusal).to.equal('409 property_taken');
        expect(response.paths).to.deep.equal([name]);
      }
    }
    expect((await client.read(other)).user).to.deep.equal(other.user);
  });

  it('is kept as it was written, is free again after a change and a deletion, and may be missing', async () => {
    const { client } = await harness.service(withUnique);
    const [first, second] = [newUsername().toUpperCase(), newUsername()];
    const { address, password, user } = await client.create({ properties: { username: first } });
    expect(user.username).to.equal(first);
    const sent = { query: { username: first.toLowerCase() }, password };
    const changed = await client.send('PATCH', '/users', { ...sent, body: { username: second } });
    expect([changed.user.username, changed.user.email.address]).to.deep.equal([second, address]);
    const heir = await client.create({ properties: { username: first } });
    expect((await client.get('/users', { query: { username: first }, password: heir.password })).status).to.equal(200);
    expect((await client.delete('/users', { query: { username: second }, password })).status).to.equal(200);
    expect((await create(client, { username: second })).status).to.equal(201);
    for (let count = 0; count < 2; count++) expect((await create(client, {})).status).to.equal(201);
  });

  it('is won by one of several concurrent requests', async () => {
    const { client } = await harness.service(withUnique);
    const username = newUsername();
    const racing = await Promise.all(Array.from({ length: 16 }, () => create(client, { username })));
    expect(racing.map(({ status }) => status).sort()).to.deep.equal([201, ...new Array(15).fill(409)]);
  });
};

const requests = (harness: Harness): void => {
  it('finds the user by a value, folded, and no user by a value that none can have', async () => {
    const { client } = await harness.service(withUnique);
    const [username, member] = [newUsername(), newMember()];
    const { address, password, user } = await client.create({ properties: { username, member } });
    const found = [{ username }, { username: username.toUpperCase() }, { member: String(member) }];
    for (const query of found) expect((await client.get('/users', { query, password })).user).to.deep.equal(user);
    const unknown: Readonly<Record<string, string>>[] = [{ username: newUsername() }, { username: 'two words' }];
    for (const query of [...unknown, { member: '01' }, { member: 'one' }, { member: '-999999999999999999999' }]) {
      const response = await client.get('/users', { query, password });
      expect(response.refusal, JSON.stringify(query)).to.equal('404 user_not_found');
      expect(response.problem.detail).to.equal('No user has this email address, username or member.');
    }
    const errors = async (query: string) => (await client.get('/users', { query, password })).problem.errors;
    expect(await errors('')).to.deep.equal([
      { path: 'query.email', message: 'is required, unless username or member is given' },
    ]);
    expect(await errors(`member=${member}&username=${username}`)).to.deep.equal([
      { path: 'query.member', message: 'must not be given together with username' },
    ]);
    expect(await errors('username=')).to.deep.equal([{ path: 'query.username', message: 'must not be empty' }]);
    const moved = newAddress();
    const body = { email: { address: moved } };
    expect((await client.put('/users', { query: { username }, password, body })).status, address).to.equal(200);
    expect((await client.read({ address: moved, password })).status).to.equal(200);
  });

  it('names the user in a check of the password, and in a settled read', async () => {
    const { client } = await harness.service(withUnique);
    const [username, member] = [newUsername(), newMember()];
    const { password } = await client.create({ properties: { username, member } });
    const check = (user: object) => client.post('/users/check', { body: { ...user, password } });
    for (const user of [{ username: username.toUpperCase() }, { member }])
      expect((await check(user)).status, JSON.stringify(user)).to.equal(204);
    for (const user of [{ username: 'two words' }, { username: newUsername() }, { member: 0.5 }])
      expect((await check(user)).refusal, JSON.stringify(user)).to.equal('404 user_not_found');
    for (const value of [null, true, ['jane'], { of: 'jane' }])
      expect((await check({ username: value })).paths).to.deep.equal(['username']);
    const wanted = newUsername();
    for (const value of [wanted, 'two words']) {
      const read = { query: { username: value }, password, headers: { Prefer: 'settled' } };
      const response = await client.get('/users', read);
      expect([response.refusal, response.headers.get('preference-applied')]).to.deep.equal([
        '404 user_not_found',
        'settled',
      ]);
    }
    expect((await create(client, { username: wanted })).status).to.equal(201);
  });
};

const privacy = (harness: Harness): void => {
  it('appears in neither the log nor the metrics, and no id does', async () => {
    const { client, adminUrl, log } = await harness.service({ ...withUnique, users: { ids: true } });
    const [username, id] = [newUsername(), `usr_${randomUUID()}`];
    const { password } = await client.create({ properties: { username, id } });
    for (const query of [{ username }, { id }, { username, id }])
      for (const given of [password, newPassword()]) await client.get('/users', { query, password: given });
    for (const user of [{ username }, { id }]) await client.post('/users/check', { body: { ...user, password } });
    expect((await create(client, { username })).refusal).to.equal('409 property_taken');
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    const lines = (await log()).join('\n');
    expect(lines).to.include('/users/check');
    for (const value of [username, id]) expect(`${metrics}\n${lines}`.includes(value), value).to.equal(false);
  });
};

/** Custom properties that no two users share (`properties.allowed[].unique`). */
export const uniqueProperties = (harness: Harness): void => {
  if (harness.lacks('names')) return;
  describe('a unique property', () => {
    values(harness);
    requests(harness);
    privacy(harness);
  });
};
