import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { MemoryEventOutbox } from '../../../../adapters/stores/memory/memory-event-outbox.ts';
import { EventExpiry } from '../../../../adapters/webhooks/expiry.ts';
import { Fault } from '../../../../application/fault.ts';
import type { Log } from '../../../../application/ports/log.ts';
import { SetClock } from '../../../support/doubles/set-clock.ts';
import { eventually } from '../../../support/recovery.ts';

const start = 1_800_000_000_000;
const maxAge = 5_000;
const patience = 10_000;

describe('the expiry of events', function () {
  this.timeout(20_000);
  let queue: MemoryEventOutbox;
  let clock: SetClock;
  let lines: string[];
  let expiry: EventExpiry;

  const log: Log = {
    info: () => undefined,
    warn: (fields, message) => void lines.push(`${message} ${JSON.stringify(fields)}`),
    error: () => undefined,
  };

  const add = (count: number, destination: string, time = start): void =>
    queue.add(
      Array.from({ length: count }, () => ({ id: randomUUID(), destination, time, body: '{"address":"private"}' })),
    );

  beforeEach(() => {
    queue = new MemoryEventOutbox();
    clock = new SetClock(start);
    lines = [];
    expiry = new EventExpiry({
      queue,
      clock,
      log,
      maxAge,
      hostOf: (destination) => (destination === 'known' ? 'crm.example.com' : undefined),
    });
  });
  afterEach(() => expiry.stop());

  it('removes what is too old when it starts and from time to time, however much it is, and nothing else', async () => {
    add(120, 'known', start - maxAge - 1);
    add(3, 'removed', start - maxAge - 1);
    add(4, 'known', start - maxAge);
    expiry.start();
    await eventually(async () => expect(lines).to.have.length(2), patience);
    expect(await queue.pending('known', 1_000)).to.equal(4);
    expect(await queue.pending('removed', 1_000)).to.equal(0);
    expect([...expiry.expired]).to.have.deep.members([
      ['known', 120],
      ['removed', 3],
    ]);

    clock.time += 1;
    await eventually(async () => expect(await queue.pending('known', 1)).to.equal(0), patience);
    await eventually(async () => expect(expiry.expired.get('known')).to.equal(124), patience);
  });

  it('tells the log how many were removed and whose they were, and nothing that they hold', async () => {
    add(2, 'known', start - maxAge - 1);
    add(1, 'removed', start - maxAge - 1);
    expiry.start();
    await eventually(async () => expect(lines).to.have.length(2), patience);
    expect(lines).to.have.members([
      'events that a webhook did not take were older than events.maxAge and are removed {"host":"crm.example.com","events":2}',
      'events for a webhook that is no longer configured were older than events.maxAge and are removed {"destination":"removed","events":1}',
    ]);
  });

  it('says while it can not look, warns once, and goes on afterwards', async () => {
    const expire = queue.expire.bind(queue);
    let failures = 0;
    queue.expire = async () => {
      failures++;
      throw new Fault('store_unavailable', 'the database is away');
    };
    add(1, 'known', start - maxAge - 1);
    expiry.start();
    await eventually(async () => expect(failures).to.be.greaterThan(1), patience);
    expect(expiry.trouble).to.equal('the database is away');
    expect(lines).to.deep.equal(['old events can not be removed {"reason":"the database is away"}']);
    queue.expire = expire;
    await eventually(async () => expect(expiry.expired.get('known')).to.equal(1), patience);
    expect(expiry.trouble).to.equal(undefined);
  });
});
