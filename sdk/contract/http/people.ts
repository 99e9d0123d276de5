import { expect } from 'chai';
import { administrated, pathOf } from './administration.ts';
import { newAddress } from './client.ts';
import type { Harness } from './harness.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const personPath = (address: string): string => `/admin/people/${encodeURIComponent(address)}`;

/** What is gathered and erased about a person, on stores with an outbox. */
export const people = (harness: Harness): void => {
  describe('a person', () => {
    let receiver: WebhookReceiver;
    before(async () => {
      receiver = await WebhookReceiver.open();
      receiver.behaviour = (_, response) => void response.writeHead(400).end();
    });
    after(() => receiver.close());

    /** Mails and events wait, because nothing listens on the port of the mail server and the webhook refuses events. */
    const waiting = async (path: string) => {
      const server = { type: 'smtp', host: '127.0.0.1', port: 1, fromAddress: 'Latchkey <no-reply@example.com>' };
      const email = { ...server, queue: true, confirmChange: true };
      const webhook = { url: `${receiver.url}/${path}`, secret: receiver.secret };
      return administrated(harness, {
        email,
        events: { webhooks: [webhook] },
        throttle: {},
        recovery: { pageUrl: 'https://shop.example.com/recovery' },
      });
    };

    it('is gathered without secrets, and erased with everything that waits; user.deleted stays, once', async function () {
      if (harness.lacks('events')) this.skip();
      const { client, root } = await waiting('erased');
      const [account, other] = [await client.create({ properties: { plan: 'free' } }), await client.create()];
      const { address, password } = account;
      const [query, to] = [{ email: address }, newAddress()];
      const token = await client.token(account);
      await client.token(other);
      const move = await client.put('/users', { query, password, body: { email: { address: to }, plan: 'free' } });
      expect(move.status, move.text).to.equal(200);
      const wrong = { query, password: 'a wrong one' };
      expect((await client.get('/users', wrong)).refusal).to.equal('401 wrong_password');

      const found = await root.get(personPath(address.toUpperCase()));
      expect(found.status, found.text).to.equal(200);
      const person = Object(found.json);
      expect(person.user.email).to.include({ address, pending: to });
      expect(person.user.plan).to.equal('free');
      expect(person.mails.map((mail: { kind: string; to: string }) => `${mail.kind} ${mail.to}`).sort()).to.deep.equal(
        [`change ${to}`, `changeNotice ${address}`, `verification ${address}`].sort(),
      );
      expect(person.events.map(({ event }: { event: { type: string } }) => event.type)).to.include('user.created');
      expect(person.attempts).to.deep.equal([{ kind: 'passwords', failures: 1, blockedForSeconds: 0 }]);
      expect(person.elsewhere.join(' ')).to.include('Backups').and.to.include('127.0.0.1');
      for (const secret of [token, password, 'Digest"', other.address]) expect(found.text).not.to.include(secret);

      const erased = await root.delete(personPath(address));
      expect(erased.status, erased.text).to.equal(200);
      expect(Object(erased.json).erased).to.deep.equal({
        user: true,
        events: person.events.length,
        mails: 3,
        requests: 0,
        attempts: 1,
      });
      expect(Object(erased.json).announcements).to.equal(1);
      expect((await root.get(pathOf(address))).refusal).to.equal('404 user_not_found');
      const again = Object((await root.delete(personPath(address))).json);
      expect(again.erased).to.deep.equal({ user: false, events: 0, mails: 0, requests: 0, attempts: 0 });
      const rest = Object((await root.get(personPath(address))).json);
      expect([rest.user, rest.mails, rest.attempts]).to.deep.equal([null, [], []]);
      const [announcement, ...others] = rest.events;
      expect(others).to.deep.equal([]);
      expect([announcement.event.type, announcement.event.data.reason]).to.deep.equal(['user.deleted', 'erasure']);
      // Others keep theirs.
      expect(Object((await root.get(personPath(other.address))).json).mails).to.have.lengthOf(1);
    });

    it('is erased only in the version that If-Match names', async () => {
      const { client, root } = await administrated(harness);
      const { address } = await client.create();
      const path = personPath(address);
      const stale = await root.delete(path, { headers: { 'If-Match': '"another"' } });
      expect(stale.refusal).to.equal('412 stale_user');
      const tag = (await root.get(pathOf(address))).headers.get('etag') ?? '';
      const erased = await root.delete(path, { headers: { 'If-Match': tag } });
      expect(Object(erased.json).erased, erased.text).to.include({ user: true });
    });

    it('is erased also after the user was deleted', async function () {
      if (harness.lacks('events')) this.skip();
      const { client, root } = await waiting('leftovers');
      const account = await client.create();
      const { address, password } = account;
      await client.token(account);
      expect((await client.delete('/users', { query: { email: address }, password })).status).to.equal(200);
      const found = Object((await root.get(personPath(address))).json);
      expect([found.user, found.mails.length]).to.deep.equal([null, 1]);
      const { erased } = Object((await root.delete(personPath(address))).json);
      expect(erased).to.include({ user: false, mails: 1, events: found.events.length - 1 });
    });

    it('has no data where nothing is stored about the address', async () => {
      const { root } = await administrated(harness);
      const { user, names, events, mails, requests, attempts } = Object(
        (await root.get(personPath(newAddress()))).json,
      );
      expect([user, names, events, mails, requests, attempts]).to.deep.equal([null, [], [], [], [], []]);
    });
  });
};
