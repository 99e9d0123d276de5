import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { EventRelay } from '../../../../adapters/delivery/event-relay.ts';
import { MemoryEventOutbox } from '../../../../adapters/stores/memory/memory-event-outbox.ts';
import { type Webhook, WebhookClient } from '../../../../adapters/webhooks/webhook-client.ts';
import type { QueuedEvent } from '../../../../application/ports/event-outbox.ts';
import type { Log } from '../../../../application/ports/log.ts';
import { newWebhookSecret, WebhookReceiver } from '../../../../sdk/contract/http/webhook-receiver.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';
import { eventually } from '../../../support/eventually.ts';

const start = Date.now();
const destination = 'receiver';

const eventOf = (body: string, to = destination): QueuedEvent => ({
  id: randomUUID(),
  destination: to,
  time: start,
  body,
});

describe('the event relay', () => {
  let queue: MemoryEventOutbox;
  let receiver: WebhookReceiver;
  let clock: ManualClock;
  let lines: string[];
  let relays: EventRelay[];

  const log: Log = {
    info: (fields, message) => void lines.push(`${message} ${JSON.stringify(fields)}`),
    warn: (fields, message) => void lines.push(`${message} ${JSON.stringify(fields)}`),
    error: (fields, message) => void lines.push(`${message} ${JSON.stringify(fields)}`),
  };

  let secrets: Webhook['secrets'];

  const started = (...others: readonly Webhook[]): EventRelay => {
    const own: Webhook = { destination, url: `${receiver.url}/hook?key=private`, secrets };
    const relay = new EventRelay(
      [own, ...others].map((webhook) => new WebhookClient(webhook)),
      queue,
      clock,
      log,
    );
    relays.push(relay);
    relay.start();
    return relay;
  };

  const add = (count: number): Promise<void> =>
    queue.add(Array.from({ length: count }, (_, n) => eventOf(`{"n":${n}}`)));

  const poll = ({ queues }: EventRelay): void => {
    for (const one of queues) one.notify();
  };

  const pending = (): Promise<number> => queue.pending(destination, 1_000);

  const allDelivered = (timeoutMs = 15_000) => eventually(async () => expect(await pending()).to.equal(0), timeoutMs);

  beforeEach(async () => {
    queue = new MemoryEventOutbox();
    receiver = await WebhookReceiver.open();
    clock = new ManualClock(start);
    secrets = [{ secret: receiver.secret, expires: null }];
    lines = [];
    relays = [];
  });
  afterEach(async () => {
    await Promise.all(relays.map((relay) => relay.stop(0)));
    await receiver.close();
  });

  it('delivers every pending event once, at most 16 at a time', async () => {
    let open = 0;
    let maxOpen = 0;
    receiver.behaviour = (_, response) => {
      maxOpen = Math.max(maxOpen, ++open);
      setTimeout(() => {
        open--;
        response.writeHead(200).end('thank you');
      }, 5);
    };
    await add(200);
    started();
    await allDelivered();
    expect(receiver.received.length).to.equal(200);
    expect(new Set(receiver.received.map(({ body }) => body)).size).to.equal(200);
    expect(maxOpen).to.be.within(2, 16);
  });

  it('delivers a new event when it is notified, without waiting for the next poll', async () => {
    const relay = started();
    await relay.statuses();
    const notifiedAt = performance.now();
    await add(1);
    poll(relay);
    await receiver.until('/hook?key=private', 1);
    // The next poll would be five seconds later.
    expect(performance.now() - notifiedAt).to.be.below(4_000);
  });

  it('pauses for a receiver that is down, and delivers everything after it recovers', async function () {
    this.timeout(40_000);
    const { port } = receiver;
    await receiver.close();
    await add(200);
    const relay = started();
    await eventually(async () => expect(lines.join()).to.include('is unavailable'), 5_000);
    for (let n = 0; n < 50; n++) poll(relay);
    const [status] = await relay.statuses();
    expect(status?.failed).to.be.within(1, 16);
    receiver = await WebhookReceiver.open(port);
    // Postponed events are due now.
    clock.time += 10_000_000;
    await allDelivered(30_000);
    expect(receiver.received.length).to.equal(200);
    expect(lines.join()).to.include('accepts events again');
    expect(lines.filter((line) => line.includes('is unavailable')).length).to.equal(1);
  });

  it('retries a rejected event later, without delaying others', async () => {
    receiver.behaviour = (event, response) =>
      void response.writeHead(event.body.startsWith('{"poison"') ? 400 : 200).end();
    await queue.add(['{"poison":1}', '{"poison":2}'].map((body) => eventOf(body)));
    const relay = started();
    await eventually(async () => expect(lines.join()).to.include('rejected an event'), 5_000);
    await receiver.until('/hook?key=private', 2);
    await add(50);
    poll(relay);
    // The pause for a failing receiver would be longer.
    await eventually(async () => expect(await pending()).to.equal(2), 4_000);
    expect(receiver.received.length).to.equal(52);
    expect(await queue.claim(destination, 10, { now: start + 4_999, until: start })).to.deep.equal([]);
    expect((await queue.claim(destination, 10, { now: start + 6_250, until: start })).length).to.equal(2);
  });

  it('pauses for a receiver that rejects every event', async () => {
    receiver.behaviour = (_, response) => void response.writeHead(404).end();
    await add(100);
    started();
    await eventually(async () => expect(lines.join()).to.include('is unavailable'), 5_000);
    expect(receiver.received.length).to.be.within(8, 32);
    expect(await pending()).to.equal(100);
  });

  it('waits for the time of Retry-After', async () => {
    receiver.behaviour = (_, response) => void response.writeHead(429, { 'Retry-After': '120' }).end();
    await add(1);
    started();
    await eventually(async () => expect(lines.join()).to.include('responded with 429'), 5_000);
    await eventually(
      async () => expect(await queue.claim(destination, 1, { now: start + 20_000, until: start })).to.deep.equal([]),
      5_000,
    );
    expect((await queue.claim(destination, 1, { now: start + 120_000, until: start })).length).to.equal(1);
  });

  it('does not follow redirects', async () => {
    receiver.behaviour = (_, response) => void response.writeHead(307, { Location: '/elsewhere' }).end();
    await add(1);
    started();
    await eventually(async () => expect(lines.join()).to.include('responded with 307'), 5_000);
    expect(receiver.at('/elsewhere')).to.deep.equal([]);
    expect(await pending()).to.equal(1);
  });

  it('uses a connection again after a response with content', async () => {
    const ports = new Set<number | undefined>();
    receiver.behaviour = (_, response) => {
      ports.add(response.socket?.remotePort);
      response.end('accepted');
    };
    const relay = started();
    for (let n = 0; n < 3; n++) {
      await add(1);
      poll(relay);
      await allDelivered(4_000);
    }
    expect(receiver.received.length).to.equal(3);
    expect(ports.size).to.equal(1);
  });

  it('reads no response without an end, and delivers its event once', async function () {
    // The timeout of a request would end it too, after ten seconds.
    this.timeout(8_000);
    const closed = new Promise((resolve) => {
      receiver.behaviour = (_, response) => {
        response.on('close', resolve);
        response.writeHead(200);
        const write = (): void => void response.write('x'.repeat(16_384), (error) => error ?? setImmediate(write));
        write();
      };
    });
    await add(1);
    started();
    await allDelivered(4_000);
    await closed;
    expect(receiver.received.length).to.equal(1);
  });

  it('waits a second, not ten, for the end of a response that stalls', async function () {
    this.timeout(8_000);
    const closed = new Promise((resolve) => {
      receiver.behaviour = (_, response) => {
        response.on('close', resolve);
        response.writeHead(200).write('x');
      };
    });
    await add(1);
    started();
    await allDelivered(4_000);
    await closed;
    expect(receiver.received.length).to.equal(1);
  });

  it('tries again later when a receiver switches protocols', async () => {
    receiver.behaviour = (_, response) =>
      void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n');
    await add(1);
    started();
    await eventually(async () => expect(lines.join()).to.include('responded with 101'), 5_000);
    expect(await pending()).to.equal(1);
  });

  it('delivers to other webhooks while one never responds', async () => {
    const other = await WebhookReceiver.open();
    try {
      receiver.behaviour = () => undefined;
      await add(50);
      await queue.add(Array.from({ length: 50 }, (_, n) => eventOf(`{"n":${n}}`, 'other')));
      started({ destination: 'other', url: `${other.url}/other`, secrets: [{ secret: other.secret, expires: null }] });
      await other.until('/other', 50);
      expect(receiver.received.length).to.be.at.most(16);
    } finally {
      await other.close();
    }
  });

  it('aborts requests when the stop times out, and retries them right after the next start', async () => {
    receiver.behaviour = () => undefined;
    await add(1);
    const relay = started();
    await receiver.until('/hook?key=private', 1);
    await relay.stop(0);
    receiver.behaviour = (_, response) => void response.writeHead(204).end();
    started();
    await allDelivered(4_000);
    expect(receiver.received.length).to.equal(2);
  });

  it('finishes requests in progress when it stops, and starts no others', async () => {
    const endings: (() => void)[] = [];
    receiver.behaviour = (_, response) => void endings.push(() => response.writeHead(204).end());
    await add(30);
    const relay = started();
    await receiver.until('/hook?key=private', 16);
    const stopped = relay.stop(10_000);
    for (const end of endings) end();
    await stopped;
    expect(receiver.received.length).to.equal(16);
    expect(await pending()).to.equal(14);
  });

  it('signs each attempt with its own timestamp', async () => {
    await add(1);
    started();
    const [event] = await receiver.until('/hook?key=private', 1);
    expect(event && receiver.verified(event)).to.deep.equal({ n: 0 });
    expect(event?.headers['webhook-timestamp']).to.equal(String(Math.floor(start / 1_000)));
    expect(event?.headers['content-type']).to.equal('application/json');
  });

  it('signs with both secrets until the former one expires', async () => {
    const former = { secret: receiver.secret, expires: start + 60_000 };
    secrets = [former, { secret: newWebhookSecret(), expires: null }];
    const relay = started();
    await add(1);
    poll(relay);
    const [both] = await receiver.until('/hook?key=private', 1);
    expect(both && receiver.verified(both)).to.deep.equal({ n: 0 });
    expect(both?.headers['webhook-signature']).to.match(/^v1,\S{44} v1,\S{44}$/);
    clock.time += 60_000;
    await add(1);
    poll(relay);
    const [, next] = await receiver.until('/hook?key=private', 2);
    expect(next?.headers['webhook-signature']).to.match(/^v1,\S{44}$/);
    expect(() => next && receiver.verified(next)).to.throw();
  });

  it('logs only the host and the reason of a failure', async () => {
    receiver.behaviour = (_, response) => void response.writeHead(500).end('private response');
    await add(1);
    started();
    await eventually(async () => expect(lines.length).to.equal(1), 5_000);
    expect(lines[0]).to.equal(
      `a webhook rejected an event, which is retried later {"host":"127.0.0.1:${receiver.port}","event":"${(await queue.list(destination, 1)).events[0]?.id}","reason":"responded with 500"}`,
    );
  });

  it('reports its status without a count while the database does not respond', async () => {
    const relay = started();
    queue.pending = () => new Promise(() => undefined);
    const [status] = await relay.statuses();
    expect(status).to.include({ delivered: 0, failed: 0, pending: undefined });
  });
});
