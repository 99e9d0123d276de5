import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { administrated, pathOf } from './administration.ts';
import type { Account, Client } from './client.ts';
import type { Harness } from './harness.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const lifetimeMs = 5_000;

const verify = async (client: Client, account: Account): Promise<number> => {
  const query = { email: account.address, token: await client.token(account) };
  return (await client.get('/verify', { query })).status;
};

/** `users.deleteUnverifiedAfter`, in a database of its own: every user of the database is subject to it. */
export const unverifiedUsers = (harness: Harness): void => {
  describe('users who do not verify their address', () => {
    let receiver: WebhookReceiver;
    before(async () => {
      receiver = await WebhookReceiver.open();
    });
    after(() => receiver.close());

    it('are deleted once, with a reason, by one of two services; whoever was verified once or is disabled stays', async function () {
      if (harness.lacks('events') || harness.lacks('listing')) this.skip();
      this.timeout(90_000);
      const blocks = {
        users: { deleteUnverifiedAfter: `${lifetimeMs}ms` },
        events: { webhooks: [{ url: `${receiver.url}/ended`, secret: receiver.secret, types: ['user.deleted'] }] },
      };
      const [{ client, root, adminUrl }, other] = await Promise.all([
        administrated(harness, blocks),
        administrated(harness, { ...blocks, logging: { requests: 'none' } }),
      ]);
      const [verified, reset, moved, disabled] = await Promise.all([1, 2, 3, 4].map(() => client.create()));
      if (verified === undefined || reset === undefined || moved === undefined || disabled === undefined)
        throw new TypeError('four users were created');
      for (const account of [verified, reset, moved]) expect(await verify(client, account)).to.equal(200);
      const { address: former, password } = reset;
      expect((await client.post('/verify/reset', { query: { email: former }, password })).status).to.equal(200);
      const address = `moved-${moved.address}`;
      const change = { query: { email: moved.address }, password: moved.password, body: { email: { address } } };
      expect((await client.put('/users', change)).user.email.verified).to.equal(false);
      const ban = { body: { reason: 'spam' } };
      expect((await root.post(`${pathOf(disabled.address)}/disable`, ban)).status).to.equal(200);
      const gone = await client.create();
      const [deleted] = await receiver.until('/ended', 1);
      const { type, data } = Object(deleted && receiver.verified(deleted));
      expect([type, data.reason, data.email]).to.deep.equal([
        'user.deleted',
        'unverified',
        { address: gone.address, verified: false },
      ]);
      expect((await root.get(pathOf(gone.address))).refusal).to.equal('404 user_not_found');
      for (const kept of [verified.address, former, address, disabled.address])
        expect((await root.get(pathOf(kept))).status, kept).to.equal(200);

      // Verifications at the end of the time: each is right, or finds no user.
      const racing = await Promise.all(Array.from({ length: 16 }, () => client.create()));
      const links = await Promise.all(
        racing.map(async (account) => ({ ...account, token: await client.token(account) })),
      );
      const outcomes = await Promise.all(
        links.map(async ({ address: email, token, user }, index) => {
          await sleep(Math.max(0, Number(user.creationTime) + lifetimeMs - 200 + index * 100 - Date.now()));
          return (await (index % 2 === 0 ? client : other.client).get('/verify', { query: { email, token } })).status;
        }),
      );
      expect(outcomes.every((status) => status === 200 || status === 404)).to.equal(true);
      const lost = outcomes.filter((status) => status === 404).length;
      await receiver.until('/ended', 1 + lost);
      for (const [index, account] of racing.entries()) {
        const { status, text } = await root.get(pathOf(account.address));
        expect(status, `${outcomes[index]} ${text}`).to.equal(outcomes[index]);
        if (status === 200) expect(text).to.include('"verified":true');
      }
      expect(receiver.at('/ended')).to.have.lengthOf(1 + lost);
      const health = Object(await (await fetch(`${adminUrl}/healthcheck`)).json())['unverified users'];
      expect(health).to.include({ healthy: true });
      expect(health.message).to.match(/^deleted in time, \d+ deleted since the start$/);
    });
  });
};
