import { expect } from 'chai';
import { newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';

const post = (harness: Harness): void => {
  describe('POST /users', () => {
    it('201: creates an unverified user without a token, and both times equal', async () => {
      const { client } = await harness.service();
      const [address, password, before] = [newAddress(), newPassword(), Date.now()];
      const response = await client.post('/users', { body: { email: { address }, password } });
      expect(response.status).to.equal(201);
      expect(response.user.email).to.deep.equal({ address, verified: false, verificationToken: null });
      expect(response.user.password).to.equal(password);
      expect(response.user.creationTime).to.be.within(before, Date.now());
      expect(response.user.lastUpdateTime).to.equal(response.user.creationTime);
      expect((await client.read({ address, password })).text).to.equal(response.text);
    });

    it('returns the fixed fields, then the custom properties in the order of the request', async () => {
      const { client } = await harness.service();
      const body = { zebra: 1, password: newPassword(), apple: null, email: { address: newAddress() }, mango: [2] };
      const response = await client.post('/users', { body });
      expect(Object.keys(response.user)).to.deep.equal([
        ...['email', 'password', 'creationTime', 'lastUpdateTime'],
        ...['zebra', 'apple', 'mango'],
      ]);
      expect(response.headers.get('content-type')).to.equal('application/json');
      expect(response.headers.get('cache-control')).to.equal('no-store');
    });

    it('needs no password header', async () => {
      const { client } = await harness.service();
      const body = { email: { address: newAddress() }, password: newPassword() };
      expect((await client.post('/users', { body, password: 'of nobody' })).status).to.equal(201);
    });

    it('ignores verified and verificationToken, and the times: a new user is unverified and new', async () => {
      const { client } = await harness.service();
      const email = { address: newAddress(), verified: true, verificationToken: 'chosen by the client' };
      const body = { email, password: newPassword(), creationTime: 1, lastUpdateTime: 'yesterday' };
      const { user } = await client.post('/users', { body });
      expect(user.email).to.deep.equal({ address: email.address, verified: false, verificationToken: null });
      expect(user.creationTime).to.be.above(1);
      expect(user.lastUpdateTime).to.equal(user.creationTime);
    });

    it('409: a user has the address, in any case', async () => {
      const { client } = await harness.service();
      const account = await client.create();
      for (const address of [account.address, account.address.toUpperCase()]) {
        const again = await client.post('/users', { body: { email: { address }, password: newPassword() } });
        expect(again.refusal).to.equal('409 user_exists');
      }
      expect((await client.read(account)).user).to.deep.equal(account.user);
    });

    it('409 for all but one of several concurrent requests', async () => {
      const { client } = await harness.service();
      const body = { email: { address: newAddress() }, password: newPassword() };
      const responses = await Promise.all(Array.from({ length: 16 }, () => client.post('/users', { body })));
      expect(responses.map(({ status }) => status).sort()).to.deep.equal([201, ...Array(15).fill(409)]);
    });
  });
};

const get = (harness: Harness): void => {
  describe('GET /users', () => {
    it('200: the user, found by its address ignoring case, and in its original spelling', async () => {
      const { client } = await harness.service();
      const address = `Mixed.${newAddress()}`;
      const { password, user } = await client.create({ address });
      for (const email of [address, address.toLowerCase(), address.toUpperCase()]) {
        const response = await client.get('/users', { query: { email }, password });
        expect(response.status).to.equal(200);
        expect(response.user).to.deep.equal(user);
      }
    });

    it('finds an address with a plus sign and non-ASCII letters', async () => {
      const { client } = await harness.service();
      const account = await client.create({ address: `jürgen+漢${newAddress()}` });
      expect((await client.read(account)).user.email.address).to.equal(account.address);
    });

    it('404: no user has the address', async () => {
      const { client } = await harness.service();
      const response = await client.get('/users', { query: { email: newAddress() }, password: newPassword() });
      expect(response.refusal).to.equal('404 user_not_found');
    });

    it('applies the preference `settled`, and the user stays as it is and can be changed', async () => {
      const { client } = await harness.service();
      const { address, password, user } = await client.create({ properties: { plan: 'free' } });
      const query = { email: address };
      for (const prefer of ['settled', 'respond-async, Settled; a=b', 'foo="a\\", b", settled=""']) {
        const answer = await client.get('/users', { query, password, headers: { Prefer: prefer } });
        expect(answer.user).to.deep.equal(user);
        expect(answer.headers.get('preference-applied')).to.equal('settled');
      }
      const wrong = await client.get('/users', { query, password: newPassword(), headers: { Prefer: 'settled' } });
      expect(wrong.refusal).to.equal('401 wrong_password');
      expect(wrong.headers.has('preference-applied')).to.equal(false);
      expect((await client.delete('/users', { query, password })).user).to.deep.equal(user);
    });

    it('applies the preference `settled` to an unknown user, whose address stays free', async () => {
      const { client } = await harness.service();
      const [address, password] = [newAddress(), newPassword()];
      for (let read = 0; read < 2; read++) {
        const sent = { query: { email: address }, password, headers: { Prefer: 'settled' } };
        const answer = await client.get('/users', sent);
        expect(answer.refusal).to.equal('404 user_not_found');
        expect(answer.headers.get('preference-applied')).to.equal('settled');
      }
      await client.create({ address, password });
      const moving = await client.create();
      const free = newAddress();
      await client.get('/users', { query: { email: free }, password, headers: { Prefer: 'settled' } });
      const query = { email: moving.address };
      const moved = await client.put('/users', {
        query,
        password: moving.password,
        body: { email: { address: free } },
      });
      expect(moved.user.email.address).to.equal(free);
    });

    it('ignores other preferences', async () => {
      const { client } = await harness.service();
      const { address, password } = await client.create();
      for (const prefer of ['unsettled', 'wait=10', 'return=settled', 'foo="a,settled,b"', '']) {
        const answer = await client.get('/users', { query: { email: address }, password, headers: { Prefer: prefer } });
        expect(answer.status).to.equal(200);
        expect(answer.headers.has('preference-applied')).to.equal(false);
      }
    });
  });
};

const remove = (harness: Harness): void => {
  describe('DELETE /users', () => {
    it('200: returns the deleted user, and the address is free again', async () => {
      const { client } = await harness.service();
      const account = await client.create({ properties: { name: 'Jane', tags: ['a', 'b'] } });
      const { address: email, password } = account;
      const removed = await client.delete('/users', { query: { email }, password });
      expect(removed.status).to.equal(200);
      expect(removed.user).to.deep.equal(account.user);
      expect((await client.get('/users', { query: { email }, password })).refusal).to.equal('404 user_not_found');
      await client.create({ address: email });
    });

    it('404: no user has the address, also the second time', async () => {
      const { client } = await harness.service();
      const { address: email, password } = await client.create();
      await client.delete('/users', { query: { email }, password });
      expect((await client.delete('/users', { query: { email }, password })).refusal).to.equal('404 user_not_found');
    });

    it('401 with the wrong password, and the user stays', async () => {
      const { client } = await harness.service();
      const account = await client.create();
      const response = await client.delete('/users', { query: { email: account.address }, password: newPassword() });
      expect(response.refusal).to.equal('401 wrong_password');
      expect((await client.read(account)).user).to.deep.equal(account.user);
    });
  });
};

/** Creating, reading and deleting users (docs/api.md, "User"). */
export const users = (harness: Harness): void => {
  post(harness);
  get(harness);
  remove(harness);
};
