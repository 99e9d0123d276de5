import { expect } from 'chai';
import { type Account, type Client, newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';

/** The update of a user under its own address. */
const update = (client: Client, { address, password }: Account, changes: object = {}) =>
  client.put('/users', { password, body: { email: { address }, ...changes } });

const fields = (harness: Harness): void => {
  it('200: replaces the custom properties, keeps creationTime and raises lastUpdateTime', async () => {
    const { client } = await harness.service();
    const account = await client.create({ properties: { old: true, both: 1 } });
    const response = await update(client, account, { both: 2, fresh: 'yes' });
    expect(response.status).to.equal(200);
    expect(response.properties).to.deep.equal({ both: 2, fresh: 'yes' });
    expect(response.user.creationTime).to.equal(account.user.creationTime);
    expect(response.user.lastUpdateTime).to.be.above(account.user.lastUpdateTime);
    expect((await client.read(account)).text).to.equal(response.text);
  });

  it('raises lastUpdateTime with every change, however fast they come', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    const times = [account.user.lastUpdateTime];
    for (let count = 0; count < 10; count++) {
      times.push((await update(client, account, { count })).user.lastUpdateTime);
    }
    expect(new Set(times).size).to.equal(times.length);
    expect(times).to.deep.equal([...times].sort((one, other) => one - other));
  });

  it('accepts a user as it was returned, and ignores its times', async () => {
    const { client } = await harness.service();
    const account = await client.create({ properties: { name: 'Jane' } });
    const sent = { ...account.user, creationTime: 1, lastUpdateTime: null };
    const { user } = await client.put('/users', { password: account.password, body: sent });
    expect(user).to.deep.equal({ ...account.user, lastUpdateTime: user.lastUpdateTime });
    expect(user.lastUpdateTime).to.be.above(account.user.lastUpdateTime);
  });

  it('404: no user has the address of the body, or that of the query', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    const password = newPassword();
    const unknownUser = { email: { address: newAddress() } };
    expect((await client.put('/users', { password, body: unknownUser })).refusal).to.equal('404 user_not_found');
    const query = { email: newAddress() };
    const body = { email: { address: account.address } };
    expect((await client.put('/users', { query, password, body })).refusal).to.equal('404 user_not_found');
  });

  it('loses no concurrent update', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    const responses = await Promise.all(Array.from({ length: 8 }, (_, by) => update(client, account, { by })));
    const done = responses.filter(({ status }) => status === 200);
    expect(done).to.not.be.empty;
    expect(responses.filter(({ status }) => status !== 200).every(({ refusal }) => refusal === '409 conflict')).to.be
      .true;
    const latest = [...done].sort((one, other) => other.user.lastUpdateTime - one.user.lastUpdateTime)[0];
    expect(new Set(done.map(({ user }) => user.lastUpdateTime)).size).to.equal(done.length);
    expect((await client.read(account)).text).to.equal(latest?.text);
  });
};

const passwords = (harness: Harness): void => {
  it('keeps the password that the body omits, and the one that it repeats', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    for (const body of [{}, { password: account.password }]) {
      expect((await update(client, account, body)).user.password).to.equal(account.password);
    }
  });

  it('changes the password: only the new one is accepted afterwards', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    const password = newPassword();
    expect((await update(client, account, { password })).user.password).to.equal(password);
    expect((await update(client, account)).refusal).to.equal('401 wrong_password');
    await client.read({ ...account, password });
  });
};

const addressChange = (harness: Harness): void => {
  const move = (client: Client, account: Account, address: string, changes: object = {}) =>
    client.put('/users', {
      query: { email: account.address },
      password: account.password,
      body: { email: { address }, ...changes },
    });

  it('moves the user to a new address, with creationTime and without the verification', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    await client.token(account);
    const address = newAddress();
    const { user } = await move(client, account, address, { name: 'Jane' });
    expect(user.email).to.deep.equal({ address, verified: false, verificationToken: null });
    expect(user.creationTime).to.equal(account.user.creationTime);
    expect((await client.read({ ...account, address })).user).to.deep.equal(user);
    const old = await client.get('/users', { query: { email: account.address }, password: account.password });
    expect(old.refusal).to.equal('404 user_not_found');
  });

  it('409: the new address belongs to someone else; both users stay as they were', async () => {
    const { client } = await harness.service();
    const [one, other] = [await client.create(), await client.create()];
    const response = await move(client, one, other.address.toUpperCase());
    expect(response.refusal).to.equal('409 address_taken');
    expect((await client.read(one)).user).to.deep.equal(one.user);
    expect((await client.read(other)).user).to.deep.equal(other.user);
  });

  it('treats the same address in another case as an ordinary update that keeps the verification', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    const token = await client.token(account);
    const address = account.address.toUpperCase();
    const { user } = await move(client, account, address);
    expect(user.email).to.deep.equal({ address, verified: false, verificationToken: token });
    expect((await client.read(account)).user.email.address).to.equal(address);
  });

  it('never gives two users the same address', async () => {
    const { client } = await harness.service();
    const accounts = await Promise.all([client.create(), client.create(), client.create()]);
    const address = newAddress();
    const responses = await Promise.all(accounts.map((account) => move(client, account, address)));
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409]);
  });
};

const verification = (harness: Harness): void => {
  it('sets the verification from the body', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    const email = { address: account.address, verified: true, verificationToken: 'a token of the client' };
    expect((await update(client, account, { email })).user.email).to.deep.equal(email);
    const cleared = { address: account.address, verificationToken: null };
    expect((await update(client, account, { email: cleared })).user.email).to.deep.equal({
      ...cleared,
      verified: true,
    });
  });

  it('keeps the verification if the body omits it', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    const token = await client.token(account);
    await client.get('/verify', { query: { email: account.address, token } });
    expect((await update(client, account)).user.email).to.deep.equal({
      address: account.address,
      verified: true,
      verificationToken: token,
    });
  });

  it('sets it for a new address too', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    const email = { address: newAddress(), verified: true };
    const query = { email: account.address };
    const { user } = await client.put('/users', { query, password: account.password, body: { email } });
    expect(user.email).to.deep.equal({ ...email, verificationToken: null });
  });

  it('ignores the verification in the body with email.verificationOnUpdate: server', async () => {
    const email = { type: 'none', verificationOnUpdate: 'server' };
    const { client } = await harness.service({ email });
    const account = await client.create();
    const forged = { address: account.address, verified: true, verificationToken: 'a token of the client' };
    expect((await update(client, account, { email: forged })).user.email).to.deep.equal(account.user.email);
    const moved = { ...forged, address: newAddress() };
    const query = { email: account.address };
    const { user } = await client.put('/users', { query, password: account.password, body: { email: moved } });
    expect(user.email).to.deep.equal({ address: moved.address, verified: false, verificationToken: null });
  });
};

/** Updating users (docs/api.md, `PUT /users`). */
export const updates = (harness: Harness): void => {
  describe('PUT /users', () => {
    fields(harness);
    describe('and the password', () => passwords(harness));
    describe('and the address', () => addressChange(harness));
    describe('and the verification', () => verification(harness));
  });
};
