import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { EventExpiry } from '../../../../adapters/delivery/event-expiry.ts';
import { MemoryEventOutbox } from '../../../../adapters/stores/memory/memory-event-outbox.ts';
import { WebhookClient } from '../../../../adapters/webhooks/webhook-client.ts';
import { Fault } from '../../../../application/fault.ts';
import { type DeliveryResult, DeliveryTarget } from '../../../../application/ports/delivery-target.ts';
import type { ClaimedEvent } from '../../../../application/ports/event-outbox.ts';
import type { Log } from '../../../../application/ports/log.ts';
import { newWebhookSecret } from '../../../../sdk/contract/http/webhook-receiver.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';
import { eventually } from '../../../support/eventually.ts';

const start = 1_800_000_000_000;
const maxAgeMs = 5_000;
const timeoutMs = 10_000;

/** A target whose events hold the time at which they expire. */
class ExpiringTarget extends DeliveryTarget {
  readonly destination = 'expiring';
  readonly host = 'smtp';
  readonly timeoutMs = 0;
  readonly stopTimeoutMs = 0;
  readonly maxRetryDelayMs = 0;
  laneOf(): undefined {}

  readonly messages = { available: '', unavailable: '', rejected: '', expired: 'mails that could not be sent' };

  send(): Promise<DeliveryResult> {
    throw new Error('the target is down');
  }

  expiryOf({ body }: ClaimedEvent): number {
    return Number(JSON.parse(body).expires);
  }

  abort(): void {}
}

const expiringTarget = new ExpiringTarget();

describe('the expiry of events', function () {
  this.timeout(20_000);
  let queue: MemoryEventOutbox;
  let clock: ManualClock;
  let lines: string[];
  let expiry: EventExpiry;

  const log: Log = {
    info: () => undefined,
    warn: (fields, message) => void lines.push(`${message} ${JSON.stringify(fields)}`),
    error: () => undefined,
  };

  const add = (count: number, destination: string, time = start): Promise<void> =>
    queue.add(
      Array.from({ length: count }, () => ({ id: randomUUID(), destination, time, body: '{"address":"private"}' })),
    );

  beforeEach(() => {
    queue = new MemoryEventOutbox();
    clock = new ManualClock(start);
    lines = [];
    expiry = new EventExpiry({
      outbox: queue,
      clock,
      log,
      maxAgeMs,
      targets: [
        new WebhookClient({
          destination: 'known',
          url: 'https://crm.example.com/',
          secrets: [{ secret: newWebhookSecret(), expires: null }],
        }),
        expiringTarget,
      ],
      expiring: [expiringTarget],
    });
  });
  afterEach(() => expiry.stop());

  it('makes events due soon that were claimed or postponed before the clock was set back, and no others', async () => {
    const day = 86_400_000;
    for (const destination of ['known', 'expiring']) {
      const body = JSON.stringify({ expires: start + 9 * day });
      await queue.add([{ id: 'claimed', destination, time: start, body }]);
      await queue.claim(destination, 1, { now: start + day, until: start + day + 15_000 });
      await queue.add([{ id: 'new', destination, time: start, body }]);
    }
    expiry.start();
    await eventually(async () => {
      for (const destination of ['known', 'expiring'])
        expect(await queue.claim(destination, 9, { now: start + 60_000, until: start })).to.have.length(2);
    }, 5_000);
    expect(lines).to.deep.equal([]);
  });

  it('deletes all events that are too old, at the start and periodically, and no others', async () => {
    await add(120, 'known', start - maxAgeMs - 1);
    await add(3, 'removed', start - maxAgeMs - 1);
    await add(4, 'known', start - maxAgeMs);
    expiry.start();
    await eventually(async () => expect(lines).to.have.length(2), timeoutMs);
    expect(await queue.pending('known', 1_000)).to.equal(4);
    expect(await queue.pending('removed', 1_000)).to.equal(0);
    expect([...expiry.expired]).to.have.deep.members([
      ['known', 120],
      ['removed', 3],
    ]);

    clock.time += 1;
    await eventually(async () => expect(await queue.pending('known', 1)).to.equal(0), timeoutMs);
    await eventually(async () => expect(expiry.expired.get('known')).to.equal(124), timeoutMs);
  });

  it('logs the number and the webhook of deleted events, and not their content', async () => {
    await add(2, 'known', start - maxAgeMs - 1);
    await add(1, 'removed', start - maxAgeMs - 1);
    expiry.start();
    await eventually(async () => expect(lines).to.have.length(2), timeoutMs);
    expect(lines).to.have.members([
      'deleted events that a webhook did not accept, because they were older than events.maxAge {"host":"crm.example.com","events":2}',
      'deleted events of a webhook that is no longer configured, because they were older than events.maxAge {"destination":"removed","events":1}',
    ]);
  });

  it('logs a failing outbox once, and continues when it recovers', async () => {
    const expire = queue.expire.bind(queue);
    let failures = 0;
    queue.expire = async () => {
      failures++;
      throw new Fault('store_unavailable', 'the database is unreachable');
    };
    await add(1, 'known', start - maxAgeMs - 1);
    expiry.start();
    await eventually(async () => expect(failures).to.be.greaterThan(1), timeoutMs);
    expect(expiry.error).to.equal('the database is unreachable');
    expect(lines).to.deep.equal(['expired events cannot be deleted {"reason":"the database is unreachable"}']);
    queue.expire = expire;
    await eventually(async () => expect(expiry.expired.get('known')).to.equal(1), timeoutMs);
    expect(expiry.error).to.equal(undefined);
  });

  it('deletes events whose own time is over while those that are too old cannot be deleted', async () => {
    queue.expire = async () => {
      throw new Fault('store_rejected', 'the database refuses');
    };
    await queue.add([{ id: 'over', destination: 'expiring', time: start, body: JSON.stringify({ expires: start }) }]);
    expiry.start();
    await eventually(async () => expect(await queue.pending('expiring', 10)).to.equal(0), timeoutMs);
    expect(expiry.error).to.equal('the database refuses');
  });

  it('deletes events whose own time is over, while their target is down, and no others', async () => {
    const expiring = (expires: number) => ({
      id: randomUUID(),
      destination: 'expiring',
      time: start,
      body: JSON.stringify({ expires }),
    });
    await queue.add(Array.from({ length: 600 }, () => expiring(start)));
    await queue.add([expiring(start + 1), expiring(start + 2)]);
    await add(1, 'known');
    expiry.start();
    await eventually(async () => expect(await queue.pending('expiring', 1_000)).to.equal(2), timeoutMs);
    expect(lines).to.deep.equal([
      'deleted mails that could not be sent, because their time was over {"host":"smtp","events":600}',
    ]);
    clock.time += 1;
    await eventually(async () => expect(await queue.pending('expiring', 1_000)).to.equal(1), timeoutMs);
    expect(expiry.expired.get('expiring')).to.equal(601);
    expect(await queue.pending('known', 10)).to.equal(1);
  });
});
