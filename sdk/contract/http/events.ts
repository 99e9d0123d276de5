import { expect } from 'chai';
import { rejection } from '../outcomes.ts';
import { basic, newAddress } from './client.ts';
import type { Blocks, Harness, TestService } from './harness.ts';
import { type ReceivedEvent, WebhookReceiver } from './webhook-receiver.ts';

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const typeOf = ({ body }: ReceivedEvent): unknown => JSON.parse(body).type;

/** Webhooks for changes of users (Standard Webhooks), for stores with an event outbox. */
export const events = (harness: Harness): void => {
  describe('events', () => {
    let receiver: WebhookReceiver;

    const blocks = (path: string, types?: readonly string[]): Blocks => ({
      events: { webhooks: [{ url: `${receiver.url}${path}`, secret: receiver.secret, ...(types && { types }) }] },
    });

    const messageOf = async (adminUrl: string): Promise<string> =>
      Object(await (await fetch(`${adminUrl}/healthcheck`)).json()).events.message;

    const service = (path: string, types?: readonly string[]): Promise<TestService> =>
      harness.service(blocks(path, types));

    before(async () => {
      receiver = await WebhookReceiver.open();
    });
    after(() => receiver.close());

    if (harness.lacks('events')) {
      it('are refused at the start', async () => {
        const refused = await rejection(service('/first'));
        expect(refused).to.have.property('message').that.includes('cannot store events');
      });
      return;
    }

    it('report every change of a user, signed and without secrets', async () => {
      const { client } = await service('/all');
      const account = await client.create({ properties: { colour: 'secret green' } });
      const { address, password } = account;
      await receiver.until('/all', 1);
      const moved = newAddress();
      const body = { email: { address: moved }, password, colour: 'secret red' };
      expect((await client.put('/users', { query: { email: address }, password, body })).status).to.equal(200);
      await receiver.until('/all', 3);
      const token = await client.token({ ...account, address: moved });
      await receiver.until('/all', 4);
      expect((await client.get('/verify', { query: { email: moved, token } })).status).to.equal(200);
      await receiver.until('/all', 5);
      const query = { email: moved };
      expect((await client.post('/verify/reset', { query, password })).status).to.equal(200);
      await receiver.until('/all', 6);
      const removed = (await client.delete('/users', { query, password })).user;
      const received = await receiver.until('/all', 7);

      const bodies = new Map(received.map((event) => [typeOf(event), Object(receiver.verified(event))]));
      const types = received.map(typeOf);
      // The events of one change arrive in any order.
      expect([...types.slice(0, 1), ...types.slice(1, 3).sort(), ...types.slice(3)]).to.deep.equal([
        'user.created',
        'address.changed',
        'user.updated',
        'verification.sent',
        'verification.confirmed',
        'verification.reset',
        'user.deleted',
      ]);
      const { creationTime } = account.user;
      const created = bodies.get('user.created');
      expect(created).to.deep.equal({
        type: 'user.created',
        timestamp: created.timestamp,
        data: { email: { address, verified: false }, creationTime, lastUpdateTime: creationTime },
      });
      expect(created.timestamp).to.match(isoTime);
      const change = { email: { address: moved, verified: false }, creationTime, previousAddress: address };
      const { lastUpdateTime } = bodies.get('user.updated').data;
      expect(bodies.get('user.updated').data).to.deep.equal({
        ...change,
        lastUpdateTime,
        changed: ['email.address', 'colour'],
      });
      expect(bodies.get('address.changed').data).to.deep.equal({ ...change, lastUpdateTime });
      expect(bodies.get('verification.confirmed').data.email).to.deep.equal({ address: moved, verified: true });
      expect(bodies.get('user.deleted').data).to.deep.equal({
        email: { address: moved, verified: false },
        creationTime,
        lastUpdateTime: removed.lastUpdateTime,
      });
      expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).to.equal(7);
      const everything = received.map((event) => event.body + JSON.stringify(event.headers)).join();
      for (const secret of [password, token, 'secret green', 'secret red', removed.password, receiver.secret])
        expect(everything).to.not.include(secret);
      for (const event of received) expect(event.body.length).to.be.below(450);
    });

    it('name what an update changed, and never a value', async () => {
      const { client } = await service('/changed', ['user.updated', 'password.changed', 'address.changed']);
      const { address, password } = await client.create({ properties: { colour: 'green', size: 1, tags: [1] } });
      const query = { email: address };
      const update = async (email: Readonly<Record<string, unknown>>, others: Readonly<Record<string, unknown>>) => {
        const body = { email, ...others };
        expect((await client.put('/users', { query, password, body })).status).to.equal(200);
      };
      const last = async (count: number) => JSON.parse((await receiver.until('/changed', count)).at(-1)?.body ?? '');

      await update({ address }, { colour: 'secret red', tags: [1] });
      const first = await last(1);
      expect(first.type).to.equal('user.updated');
      expect(first.data.changed).to.deep.equal(['colour', 'size']);

      await update({ address: address.toUpperCase(), verified: true }, { password, tags: [1], colour: 'secret red' });
      const second = await last(2);
      expect(second.type).to.equal('user.updated');
      expect(second.data.changed).to.deep.equal(['email.address', 'email.verified']);
      expect(second.data.previousAddress).to.equal(address);

      const newPassword = 'a new and secret password';
      await update({ address, verified: true }, { password: newPassword, colour: 'secret red', tags: [1] });
      await receiver.until('/changed', 4);
      await client.send('PATCH', '/users', {
        query,
        password: newPassword,
        body: { colour: null, tags: [1], size: 1.5 },
      });
      expect((await last(5)).data.changed).to.deep.equal(['colour', 'size']);
      const received = receiver.at('/changed');
      expect(received.slice(2, 4).map(typeOf).sort()).to.deep.equal(['password.changed', 'user.updated']);
      const updated = received.slice(2, 4).find((event) => typeOf(event) === 'user.updated');
      expect(JSON.parse(updated?.body ?? '').data.changed).to.deep.equal(['email.address', 'password']);
      for (const { body } of received) {
        expect(body).to.not.include('secret');
        expect(body).to.not.include(newPassword);
      }
    });

    it('do not report refused requests, and requests that changed nothing', async () => {
      const { client } = await service('/nothing');
      const account = await client.create();
      const { address, password } = account;
      const query = { email: address };
      await client.post('/users', { body: { email: { address }, password } });
      await client.put('/users', { query, password: 'wrong', body: { email: { address } } });
      await client.delete('/users', { query, password: 'wrong' });
      await client.get('/verify', { query: { email: address, token: 'wrong' } });
      // A patch with what is stored, and resetting a user again, write nothing.
      const patch = { email: { address, verified: false }, password, absent: null };
      expect((await client.send('PATCH', '/users', { query, password, body: patch })).status).to.equal(200);
      expect((await client.post('/verify/reset', { query, password })).status).to.equal(200);
      expect((await client.delete('/users', { query, password })).status).to.equal(200);
      const received = await receiver.until('/nothing', 2);
      expect(received.map(typeOf).sort()).to.deep.equal(['user.created', 'user.deleted']);
    });

    it('report the changes of administrators, too', async () => {
      const secret = 'a secret of an administrator: 0b7d55';
      const admin = { keys: [{ application: 'root', secret }] };
      const { client, adminUrl } = await harness.service({ ...blocks('/administration'), admin });
      const { address } = await client.create();
      const headers = { Authorization: basic('root', secret) };
      const path = `/admin/users/${encodeURIComponent(address)}`;
      expect((await fetch(`${adminUrl}${path}`, { method: 'DELETE', headers })).status).to.equal(200);
      const received = await receiver.until('/administration', 2);
      expect(received.map(typeOf).sort()).to.deep.equal(['user.created', 'user.deleted']);
    });

    it('are small, however many members changed', async () => {
      const { client } = await service('/many', ['user.updated']);
      const { address, password } = await client.create();
      const properties = Object.fromEntries(Array.from({ length: 8_000 }, (_, n) => [`${n}`.padEnd(30, '-'), n]));
      const body = { email: { address }, ...properties };
      expect((await client.put('/users', { query: { email: address }, password, body })).status).to.equal(200);
      const [event] = await receiver.until('/many', 1);
      const { changed, changedOmitted } = JSON.parse(event?.body ?? '').data;
      expect(changed.length + changedOmitted).to.equal(8_000);
      expect(event?.body.length).to.be.below(3_000);
    });

    it('have the types that a webhook is configured for', async () => {
      const { client } = await service('/types', ['user.deleted', 'verification.sent']);
      const account = await client.create();
      await client.token(account);
      await receiver.until('/types', 1);
      await client.delete('/users', { query: { email: account.address }, password: account.password });
      const received = await receiver.until('/types', 2);
      expect(received.map(typeOf)).to.deep.equal(['verification.sent', 'user.deleted']);
    });

    it('do not delay the request while a receiver does not respond, and are retried when it fails', async function () {
      // The first retry is after five seconds, plus up to a quarter.
      this.timeout(30_000);
      receiver.behaviour = (event, response) => {
        if (event.path === '/failing') response.writeHead(receiver.at('/failing').length === 1 ? 500 : 200).end('said');
        else if (event.path !== '/silent') response.writeHead(204).end();
      };
      const silent = await service('/silent');
      await silent.client.create();
      await receiver.until('/silent', 1);
      const started = performance.now();
      await silent.client.create();
      expect(performance.now() - started).to.be.below(5_000);

      const { client } = await service('/failing');
      await client.create();
      const [first, second] = await receiver.until('/failing', 2);
      expect(second?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
      expect(second?.body).to.equal(first?.body);
      expect(second && receiver.verified(second)).to.be.an('object');
      expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).to.be.above(4_500);
    });

    it('are delivered once without failures, also when two services share the users', async () => {
      const [one, other] = await Promise.all([
        service('/shared'),
        harness.service({ ...blocks('/shared'), logging: { requests: 'none' } }),
      ]);
      const clients = [one.client, other.client];
      await Promise.all(Array.from({ length: 40 }, (_, n) => clients[n % 2]?.create()));
      await receiver.until('/shared', 40);
      // The next delivery is a new event, not a repetition.
      await one.client.create();
      const received = await receiver.until('/shared', 41);
      expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).to.equal(received.length);
    });

    it('are counted in metrics, and the health check has each receiver', async () => {
      const { client, adminUrl } = await service('/counted');
      await client.create();
      await receiver.until('/counted', 1);
      const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
      for (const name of ['delivered_total', 'failed_total', 'pending'])
        expect(metrics).to.include(`latchkey_events_${name}{host="127.0.0.1:${receiver.port}",destination="`);
      const health = await fetch(`${adminUrl}/healthcheck`);
      expect(health.status).to.equal(200);
      const line = Object(await health.json()).events;
      expect(line).to.include({ healthy: true });
      expect(line.message).to.include(`127.0.0.1:${receiver.port}`);
    });

    it('are not stored without webhooks, and older ones expire', async () => {
      const { client, adminUrl } = await harness.service({ events: { webhooks: [] } });
      await client.create();
      expect(await messageOf(adminUrl)).to.equal('no webhook is configured');
    });

    // Last, because it expires the events of the other tests.
    it('expire when their receiver always refuses them or was removed, and this is logged', async function () {
      this.timeout(60_000);
      receiver.behaviour = (_, response) => void response.writeHead(400).end();
      const removed = await service('/removed');
      await removed.client.create();
      await receiver.until('/removed', 1);
      const { webhooks } = Object(blocks('/refused').events);
      const { client, adminUrl } = await harness.service({ events: { webhooks, maxAge: '1s' } });
      await client.create();
      await receiver.until('/refused', 1);
      const expected =
        /0 waiting, 1 expired since the start; \d+ for webhooks that are no longer configured expired since the start$/;
      const deadline = performance.now() + 40_000;
      let message = '';
      while (!expected.test(message) && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        message = await messageOf(adminUrl);
      }
      expect(message).to.match(expected);
      const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
      expect(metrics).to.match(/latchkey_events_expired_total\{host="127\.0\.0\.1:\d+",destination="\w+"\} 1\n/);
      expect(metrics).to.match(/latchkey_events_expired_total\{host="",destination="\w+"\} [1-9]/);
    });
  });
};
