import { expect } from 'chai';
import { notedCheck } from './activity.ts';
import { administrated, pathOf } from './administration.ts';
import type { ApiResponse } from './api-response.ts';
import type { Account, Client, Sent } from './client.ts';
import type { Blocks, Harness } from './harness.ts';
import { hashing, rehashedUser } from './password-migration.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const etagOf = ({ headers }: ApiResponse): string => headers.get('etag') ?? '';

const ofUser = ({ address, password }: Account): Sent => ({ query: { email: address }, password });

/** A user about whom the service stores something that neither clients nor administrators see. */
interface Kept {
  readonly client: Client;
  readonly account: Account;
  /** Resolves when it is stored. */
  stored(): Promise<unknown>;
}

type Keep = (use: (kept: Kept) => Promise<void>) => Promise<void>;

/** A password that is stored in the form of another service first. */
const rehash =
  (harness: Harness, former: Blocks): Keep =>
  async (use) => {
    const account = await (await harness.service(former)).client.create({ properties: { plan: 'free' } });
    // Reads with this client rehash nothing, so that the test decides when it happens.
    const accept = ['sha256', 'bcrypt'];
    const { client } = await harness.service(hashing('bcrypt', { cost: 5, accept }));
    const rehashing = await harness.service(hashing('bcrypt', { cost: 5, accept, rehash: true }));
    await use({ client, account, stored: () => rehashedUser(rehashing.client, account) });
  };

const listed =
  (harness: Harness): Keep =>
  async (use) => {
    const receiver = await WebhookReceiver.open();
    try {
      const passwordHash = { algorithm: 'sha256', serverSideHash: true };
      const password = 'a password of the list';
      const { client } = await harness.service({ passwordHash });
      const account = await client.create({ password, properties: { plan: 'free' } });
      const reporting = await harness.service({
        passwordHash,
        passwordRules: { blocklist: await harness.file('listed-passwords.txt', password), onCheck: 'event' },
        events: { webhooks: [{ url: `${receiver.url}/listed`, secret: receiver.secret, types: ['password.listed'] }] },
      });
      const stored = async () => {
        await reporting.client.read(account);
        await receiver.until('/listed', 1);
      };
      await use({ client, account, stored });
    } finally {
      await receiver.close();
    }
  };

const settledRead =
  (harness: Harness): Keep =>
  async (use) => {
    const { client } = await harness.service();
    const account = await client.create({ properties: { plan: 'free' } });
    const stored = async () => {
      const settled = await client.get('/users', { ...ofUser(account), headers: { Prefer: 'settled' } });
      expect(settled.headers.get('preference-applied')).to.equal('settled');
    };
    await use({ client, account, stored });
  };

const recovery =
  (harness: Harness): Keep =>
  async (use) => {
    const blocks = { recovery: { deliver: 'caller', resendInterval: '1ms' } };
    const { client } = await harness.service({
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      ...blocks,
    });
    const account = await client.create({ properties: { plan: 'free' } });
    const stored = async () => {
      const issued = await client.post('/recovery', { query: { email: account.address } });
      expect(issued.status, issued.text).to.equal(200);
    };
    await use({ client, account, stored });
  };

const activity =
  (harness: Harness): Keep =>
  async (use) => {
    const { client } = await harness.service();
    const account = await client.create({ properties: { plan: 'free' } });
    const recording = await administrated(harness, { activity: {} });
    const stored = async () => {
      await recording.client.read(account);
      await notedCheck(recording.root, account);
    };
    await use({ client, account, stored });
  };

const membersOf = ({ user: { password: _, ...others } }: ApiResponse): object => others;

/** Bookkeeping is what the service stores about a user without a change of what callers see. */
export const bookkeeping = (harness: Harness): void => {
  const kinds: Readonly<Record<string, Keep>> = {
    'an upgraded password hash': rehash(harness, hashing('sha256')),
    'a password hash that is replaced by a cheaper one': rehash(harness, hashing('bcrypt', { cost: 6 })),
    'a settled read': settledRead(harness),
    'a password that was right': activity(harness),
    'a token for a forgotten password': recovery(harness),
    ...(!harness.lacks('events') && { 'an event about a listed password': listed(harness) }),
  };
  for (const [kind, keep] of Object.entries(kinds))
    describe(`after ${kind}`, () => {
      const patch = (client: Client, account: Account, body: object, etag?: string) =>
        client.send('PATCH', '/users', { ...ofUser(account), body, ...(etag && { headers: { 'If-Match': etag } }) });

      it('the ETag is the same, and so is what callers see; a change with the ETag from before is made', async () => {
        await keep(async ({ client, account, stored }) => {
          const read = await client.read(account);
          await stored();
          const after = await client.read(account);
          expect(membersOf(after)).to.deep.equal(membersOf(read));
          expect(etagOf(after)).to.equal(etagOf(read));
          const changed = await patch(client, account, { plan: 'pro' }, etagOf(read));
          expect(changed.status, changed.text).to.equal(200);
          expect(etagOf(changed)).to.not.equal(etagOf(read));
          expect((await patch(client, account, { plan: 'free' }, etagOf(read))).refusal).to.equal('412 stale_user');
          expect((await patch(client, account, { plan: 'free' }, etagOf(changed))).status).to.equal(200);
        });
      });

      it('the ETag from before a change is refused', async () => {
        await keep(async ({ client, account, stored }) => {
          const read = await client.read(account);
          expect((await patch(client, account, { plan: 'pro' })).status).to.equal(200);
          await stored();
          expect((await patch(client, account, { plan: 'free' }, etagOf(read))).refusal).to.equal('412 stale_user');
          expect((await client.read(account)).properties).to.include({ plan: 'pro' });
        });
      });

      it('a deleted user who is created again has another ETag', async () => {
        await keep(async ({ client, account, stored }) => {
          await stored();
          const removed = await client.delete('/users', ofUser(account));
          await client.create(account);
          expect(etagOf(await client.read(account))).to.not.equal(etagOf(removed));
        });
      });
    });

  it('administrators get the same ETag after bookkeeping, and can change the user with it', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create();
    const etag = etagOf(await client.read(account));
    for (let reads = 0; reads < 2; reads++)
      await client.get('/users', { ...ofUser(account), headers: { Prefer: 'settled' } });
    expect(etagOf(await root.get(pathOf(account.address)))).to.equal(etag);
    const disabled = await root.post(`${pathOf(account.address)}/disable`, {
      body: { reason: 'a test' },
      headers: { 'If-Match': etag },
    });
    expect(disabled.status, disabled.text).to.equal(200);
    expect(etagOf(disabled)).to.not.equal(etag);
  });

  it('a form of the administration is accepted after bookkeeping, and shown again after a change', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create();
    const headers = { Authorization: root.credentials };
    const page = `${root.url}/admin/properties?${new URLSearchParams({ address: account.address })}`;
    const save = async (between: () => Promise<unknown>, properties: object): Promise<number> => {
      const form = await (await fetch(page, { headers })).text();
      const fields = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
      await between();
      const body = new URLSearchParams(Object.fromEntries(fields.map(([, name, value]) => [name, value])));
      body.set('properties', JSON.stringify(properties));
      return (await fetch(page, { method: 'POST', headers, body, redirect: 'manual' })).status;
    };
    const settle = () => client.get('/users', { ...ofUser(account), headers: { Prefer: 'settled' } });
    const change = () => client.send('PATCH', '/users', { ...ofUser(account), body: { plan: 'pro' } });
    // Before the form, too, so that the ETag differs from the version of the store.
    await settle();
    expect(await save(settle, { plan: 'free' })).to.equal(303);
    expect(await save(change, { plan: 'free' })).to.equal(412);
    expect((await client.read(account)).properties).to.include({ plan: 'pro' });
  });
};
