import { expect } from 'chai';
import { userOf } from '../arbitraries.ts';
import { InMemoryUserStore } from '../in-memory-user-store.ts';
import { invalidSpellings, spellings } from '../spellings.ts';
import type { ApiResponse } from './api-response.ts';
import { type Account, type Client, newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';
import { emailOf, WaitingMoves } from './waiting-moves.ts';

/** The ways in which a client changes an address. */
const changes: Readonly<Record<string, (client: Client, account: Account, to: string) => Promise<ApiResponse>>> = {
  'PUT with the address of the body alone': (client, { password }, to) =>
    client.put('/users', { password, body: { email: { address: to } } }),
  'PUT of a user': (client, { address, password }, to) =>
    client.put('/users', { query: { email: address }, password, body: { email: { address: to } } }),
  PATCH: (client, { address, password }, to) =>
    client.send('PATCH', '/users', { query: { email: address }, password, body: { email: { address: to } } }),
};

/** The pair of addresses with local parts that no other test has. */
const unique = (addresses: readonly [string, string]): readonly [string, string] => {
  const [prefix] = newAddress().split('@');
  const [one, other] = addresses;
  return [`${prefix}.${one}`, `${prefix}.${other}`];
};

const blocks = { passwordHash: { algorithm: 'sha256', serverSideHash: true }, recovery: { deliver: 'caller' } };

/** A verified user with a token for another password. */
const linked = async (client: Client, address: string) => {
  const account = await client.create({ address });
  const token = await client.token(account);
  expect((await client.get('/verify', { query: { email: address, token } })).status).to.equal(200);
  const issued = await client.post('/recovery', { query: { email: address } });
  return { account, token, recovery: String(Object(issued.json).token) };
};

const changesOfMailbox = (harness: Harness): void => {
  const email = async (verificationOnUpdate: string) => ({
    ...(await harness.queuedEmail()),
    queue: false,
    verificationOnUpdate,
  });
  for (const { why, one, other, isSame } of spellings.filter((pair) => pair.isSameUser && pair.accepted === 'both'))
    for (const [way, change] of Object.entries(changes))
      for (const owner of ['body', 'server'])
        it(`${isSame ? 'keeps' : 'ends'} the verification and both tokens: ${why}, ${way}, ${owner}`, async () => {
          const { client } = await harness.service({ ...blocks, email: await email(owner) });
          const [from, to] = unique([one, other]);
          const { account, token, recovery } = await linked(client, from);
          const changed = await change(client, account, to);
          expect(changed.status, changed.text).to.equal(200);
          const expected = { address: to, verified: isSame, verificationToken: isSame ? token : null };
          expect(emailOf(changed)).to.deep.equal(expected);
          for (const address of [from, to])
            expect((await client.get('/verify', { query: { email: address, token } })).status).to.equal(
              isSame ? 200 : 400,
            );
          const body = { email: { address: to }, token: recovery, password: newPassword() };
          const confirmed = await client.post('/recovery/confirm', { body });
          expect(confirmed.status, confirmed.text).to.equal(isSame ? 204 : 400);
          const password = isSame ? body.password : account.password;
          expect(emailOf(await client.read({ address: to, password })).verified).to.equal(isSame);
        });

  it('takes the verification of the body where it is supplied, also for another mailbox', async () => {
    const { client } = await harness.service({ ...blocks, email: await email('body') });
    const [from, to] = unique(['σίσυφος@example.com', 'σίσυφοσ@example.com']);
    const { account, token, recovery } = await linked(client, from);
    const sent = { address: to, verified: true, verificationToken: token };
    const changed = await client.put('/users', { password: account.password, body: { email: sent } });
    expect(emailOf(changed)).to.deep.equal(sent);
    const body = { email: { address: to }, token: recovery, password: newPassword() };
    expect((await client.post('/recovery/confirm', { body })).refusal).to.equal('400 token_mismatch');
  });
};

/** The addresses that no user gets. */
const unsuitable = spellings.flatMap(({ one, other, accepted }) =>
  accepted === 'both' ? [] : accepted === 'one' ? [other] : [one, other],
);

const refusals = (harness: Harness): void => {
  const expectRefused = async (client: Client, account: Account, way: keyof typeof changes, to: string) => {
    const refused = await changes[way]?.(client, account, to);
    expect([refused?.refusal, refused?.paths], to).to.deep.equal(['400 unsuitable_address', ['email.address']]);
  };

  it('400 unsuitable_address for a new user, saying what to write', async () => {
    const { client } = await harness.service();
    for (const address of unsuitable) {
      const refused = await client.post('/users', { body: { email: { address }, password: newPassword() } });
      expect([refused.refusal, refused.paths], address).to.deep.equal(['400 unsuitable_address', ['email.address']]);
    }
    const body = { email: { address: 'jane@BÜCHER.example' }, password: newPassword() };
    expect((await client.post('/users', { body })).problem.errors).to.deep.equal([
      { path: 'email.address', message: 'must be written with the domain xn--bcher-kva.example' },
    ]);
  });

  it('400 invalid_body for what is no address', async () => {
    const { client } = await harness.service();
    for (const address of invalidSpellings) {
      const refused = await client.post('/users', { body: { email: { address }, password: newPassword() } });
      expect([refused.refusal, refused.paths], address).to.deep.equal(['400 invalid_body', ['email.address']]);
    }
  });

  it('400 unsuitable_address for another address of a user, who does not change', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    for (const address of unsuitable)
      for (const way of ['PUT of a user', 'PATCH']) await expectRefused(client, account, way, address);
    expect((await client.read(account)).user).to.deep.equal(account.user);
  });

  if (!harness.lacks('events'))
    it('400 unsuitable_address for one that would have to be confirmed', async () => {
      const { client } = await new WaitingMoves(harness).start();
      const account = await client.create();
      for (const address of unsuitable) await expectRefused(client, account, 'PATCH', address);
      expect((await client.read(account)).user).to.deep.equal(account.user);
    });

  it('401 before it, so that only the owner of the password learns what is stored', async () => {
    const { client } = await harness.service();
    const account = { ...(await client.create()), password: newPassword() };
    const refused = await changes.PATCH?.(client, account, unsuitable[0] ?? '');
    expect(refused?.refusal).to.equal('401 wrong_password');
  });
};

const formerAddresses = (harness: Harness): void => {
  it('are read, updated, verified and deleted', async function () {
    if (!harness.takesStores) return this.skip();
    for (const address of unsuitable) {
      const store = new InMemoryUserStore();
      const password = newPassword();
      await store.insert(userOf(address, { password }));
      const { client } = await harness.serviceOn({ users: store });
      const account = await client.read({ address, password });
      const written = await client.put('/users', { password, body: { ...account.user, plan: 'pro' } });
      expect([written.status, written.user.email.address], written.text).to.deep.equal([200, address]);
      const query = { email: address };
      const patched = await client.send('PATCH', '/users', {
        query,
        password,
        body: { email: { address }, plan: 'free' },
      });
      expect(patched.properties).to.deep.equal({ plan: 'free' });
      const token = await client.token({ address, password, user: account.user });
      expect((await client.get('/verify', { query: { email: address, token } })).user.email.verified).to.equal(true);
      expect((await client.delete('/users', { query, password })).status).to.equal(200);
    }
  });
};

/** Two spellings that a person may take for one address: whose mailbox they are, and which of them a user may have. */
export const addressSpellings = (harness: Harness): void => {
  describe('another spelling of an address', () => {
    changesOfMailbox(harness);
    refusals(harness);
    describe('that a former version stored', () => formerAddresses(harness));
  });
};
