import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { DeliveryQueue } from '../../../../adapters/delivery/delivery-queue.ts';
import { MemoryEventOutbox } from '../../../../adapters/stores/memory/memory-event-outbox.ts';
import { type DeliveryResult, DeliveryTarget } from '../../../../application/ports/delivery-target.ts';
import type { ClaimedEvent, QueuedEvent } from '../../../../application/ports/event-outbox.ts';
import type { Log } from '../../../../application/ports/log.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';

const destination = 'target';
const failed: DeliveryResult = { outcome: 'failed', reason: 'responded with 500', retryAfterMs: 0 };
const ambiguous: DeliveryResult = { outcome: 'ambiguous', reason: 'responded with 500', retryAfterMs: 0 };
const rejected: DeliveryResult = { outcome: 'rejected', reason: 'responded with 422', retryAfterMs: 0 };
const second = 1_000;
const minute = 60 * second;

/** A target whose events are `lane: text`, and that answers as `behaviour` says. */
class ScriptedTarget extends DeliveryTarget {
  readonly destination = destination;
  readonly host = 'receiver.test';
  readonly timeoutMs = 10_000;
  readonly stopTimeoutMs = 0;
  maxRetryDelayMs = 5 * minute;
  readonly messages = { available: 'available', unavailable: 'unavailable', rejected: 'rejected', expired: 'expired' };
  readonly delivered: string[] = [];
  inProgress = 0;
  mostInProgress = 0;
  behaviour: (text: string, attempts: number) => Promise<DeliveryResult> | DeliveryResult = () => ({
    outcome: 'delivered',
  });

  async send({ body, attempts }: ClaimedEvent): Promise<DeliveryResult> {
    this.inProgress++;
    this.mostInProgress = Math.max(this.mostInProgress, this.inProgress);
    try {
      const result = await this.behaviour(body, attempts);
      if (result.outcome === 'delivered') this.delivered.push(body);
      return result;
    } finally {
      this.inProgress--;
    }
  }

  laneOf({ body }: ClaimedEvent): string | undefined {
    return body.includes(':') ? body.split(':')[0] : undefined;
  }

  expiryOf({ body }: ClaimedEvent): number {
    if (body === 'unreadable expiry') throw new TypeError('unreadable');
    return Number.POSITIVE_INFINITY;
  }

  abort(): void {}
}

describe('the queue of a target', () => {
  let clock: ManualClock;
  let outbox: MemoryEventOutbox;
  let target: ScriptedTarget;
  let queue: DeliveryQueue;
  let lines: string[];
  let ids: number;
  let nowMs: number;

  const record = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { info: record, warn: record, error: record };

  const settle = async (): Promise<void> => {
    for (let n = 0; n < 20; n++) await turn();
  };

  /** Lets time pass. */
  const pass = async (durationMs: number): Promise<void> => {
    for (let elapsedMs = 0; elapsedMs < durationMs; elapsedMs += 100) {
      nowMs += 100;
      clock.time += 100;
      mock.timers.tick(100);
      await settle();
    }
  };

  const later = (result: DeliveryResult, durationMs: number): Promise<DeliveryResult> =>
    new Promise((resolve) => void setTimeout(() => resolve(result), durationMs));

  const add = async (count: number, text: string): Promise<void> => {
    const { time } = clock;
    const events = Array.from(
      { length: count },
      (): QueuedEvent => ({ id: `e${++ids}`, destination, time, body: text }),
    );
    await outbox.add(events);
    queue.notify();
    await settle();
  };

  const count = (text: string): number => target.delivered.filter((body) => body === text).length;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    nowMs = 0;
    mock.method(performance, 'now', () => nowMs);
    clock = new ManualClock(1_800_000_000_000);
    outbox = new MemoryEventOutbox();
    target = new ScriptedTarget();
    lines = [];
    ids = 0;
    queue = new DeliveryQueue(target, outbox, clock, log);
    queue.start();
  });
  afterEach(async () => {
    const stopped = queue.stop(0);
    await pass(20 * second);
    await stopped;
    mock.timers.reset();
    mock.restoreAll();
  });

  it('goes on with others while events are rejected, each of which has a delay of its own', async () => {
    target.behaviour = (text) => (text === 'poison' ? rejected : { outcome: 'delivered' });
    await add(100, 'poison');
    await add(20, 'usual');
    expect(count('usual')).to.equal(20);
    expect(queue.error).to.equal(undefined);
    expect(queue.counts).to.include({ failed: 100, delivered: 20 });
    await pass(4 * second);
    expect(queue.counts.failed).to.equal(100);
    await pass(8 * second);
    expect(queue.counts.failed).to.equal(200);
  });

  it('finishes attempts in progress, and claims no more, when another queue takes over', async () => {
    target.behaviour = () => later({ outcome: 'delivered' }, 5 * second);
    await add(1, 'in progress');
    let finished = false;
    const finishing = queue.finish().then(() => {
      finished = true;
    });
    await add(1, 'for the next queue');
    const next = new DeliveryQueue(target, outbox, clock, log);
    next.start();
    await pass(4 * second);
    expect([finished, target.mostInProgress]).to.deep.equal([false, 2]);
    await pass(20 * second);
    await finishing;
    await next.stop(0);
    expect(target.delivered).to.deep.equal(['in progress', 'for the next queue']);
    expect([queue.counts.delivered, next.counts.delivered]).to.deep.equal([1, 1]);
  });

  it('quarantines an event whose delivery throws: names it in the log, and goes on with others', async () => {
    target.behaviour = (text) => {
      if (text === 'damaged') throw new SyntaxError('a secret is not JSON');
      return { outcome: 'delivered' };
    };
    await add(40, 'damaged');
    await add(20, 'usual');
    expect(count('usual')).to.equal(20);
    expect(queue.counts).to.include({ failed: 40, delivered: 20 });
    expect(lines[0]).to.match(
      /^an event cannot be processed; it is retried later {"host":"receiver.test","event":"e1","reason":"unexpected SyntaxError at .*delivery-queue\.spec\.ts:\d+:\d+\)?"}$/,
    );
    expect(lines.join()).to.not.include('secret');
    await pass(12 * second);
    expect(queue.counts.failed).to.equal(80);
  });

  it('quarantines an event whose lane or expiry cannot be read', async () => {
    target.behaviour = (text) => (text === 'unreadable expiry' ? rejected : { outcome: 'delivered' });
    target.laneOf = ({ body }) => {
      if (body === 'unreadable lane') throw new TypeError('unreadable');
      return undefined;
    };
    await add(20, 'unreadable lane');
    await add(20, 'unreadable expiry');
    await add(20, 'usual');
    expect(count('usual')).to.equal(20);
    await pass(4 * second);
    expect(queue.counts.failed).to.equal(40);
  });

  it('sends events of other lanes while those of one are slow, however many wait', async () => {
    target.behaviour = (text) => (text.startsWith('slow') ? later(rejected, 10 * second) : { outcome: 'delivered' });
    await add(500, 'slow:mail');
    for (let elapsed = 0; elapsed < 10; elapsed++) {
      await add(5, 'usual:mail');
      await pass(2_200);
      expect(count('usual:mail'), `after ${elapsed}`).to.equal((elapsed + 1) * 5);
    }
    expect(target.mostInProgress).to.be.at.most(4 + 5);
    expect(queue.error).to.equal(undefined);
  });

  it('sends as many events of one fast lane at once as of several', async () => {
    target.behaviour = () => later({ outcome: 'delivered' }, 100);
    await add(200, 'large:mail');
    await pass(20 * 100);
    expect(target.mostInProgress).to.be.within(12, 16);
    expect(count('large:mail')).to.equal(200);
    expect(queue.counts.delivered).to.equal(200);
  });

  it('sends more events of a slow lane when it is fast again', async () => {
    let isSlow = true;
    target.behaviour = () => (isSlow ? later(rejected, 5 * second) : later({ outcome: 'delivered' }, 100));
    await add(30, 'lane:mail');
    await pass(10 * second);
    expect(target.mostInProgress).to.equal(4);
    isSlow = false;
    await pass(2 * minute);
    expect(count('lane:mail')).to.equal(30);
  });

  it('postpones an event that it did not attempt by minutes, however often it was claimed', async () => {
    target.maxRetryDelayMs = 60 * minute;
    target.behaviour = () => later({ outcome: 'delivered' }, 10 * second);
    await outbox.add([{ id: 'late', destination, time: clock.time, body: 'lane:late' }]);
    for (let now = clock.time; now < clock.time + 15; now++)
      await outbox.claim(destination, 1, { now, until: now + 1 });
    await add(4, 'lane:mail');
    await pass(4 * second);
    const { events } = await outbox.list(destination, 10);
    const late = events.find(({ id }) => id === 'late');
    expect(late?.attempts).to.equal(16);
    expect((late?.due ?? 0) - clock.time).to.be.within(minute, 7 * minute);
  });

  it('finds out with an event that has not failed whether a target is available again', async () => {
    target.behaviour = (text) => (text === 'poison' ? failed : { outcome: 'delivered' });
    await add(1, 'poison');
    expect(queue.error).to.equal('responded with 500');
    await add(5, 'usual');
    await pass(7 * second);
    expect(queue.error).to.equal(undefined);
    expect(count('usual')).to.equal(5);
    // The poisonous event fails again and again, and pauses nothing.
    for (let round = 0; round < 20; round++) {
      await pass(10 * second);
      await add(1, 'usual');
      expect(count('usual'), `round ${round}`).to.equal(6 + round);
    }
    expect(lines.filter((line) => line.startsWith('unavailable'))).to.have.lengthOf(1);
    expect(queue.counts.failed).to.be.above(3);
  });

  it('sends new events while many others may fail by themselves', async () => {
    target.behaviour = (text) => (text === 'poison' ? ambiguous : { outcome: 'delivered' });
    await add(500, 'poison');
    await add(5, 'usual');
    await pass(13 * second);
    expect(count('usual')).to.equal(5);
    for (let round = 1; round <= 10; round++) {
      await add(1, 'usual');
      await pass(13 * second);
      expect(count('usual'), `round ${round}`).to.equal(5 + round);
    }
    expect(queue.counts.failed).to.be.above(500);
  });

  it('bounds the attempts for a target that answers every event with an error', async () => {
    target.behaviour = () => ambiguous;
    await add(500, 'usual');
    expect(queue.counts.failed).to.be.within(8, 16);
    expect(queue.error).to.equal('responded with 500');
    const { failed: first } = queue.counts;
    await pass(10 * minute);
    expect(queue.counts.failed - first).to.be.within(4, 10 * 30);
  });

  it('removes expired events of a slow lane, once each, without waiting for the slow attempts', async () => {
    const claimed: string[] = [];
    const claim = outbox.claim.bind(outbox);
    mock.method(outbox, 'claim', async (...request: Parameters<typeof claim>) => {
      const events = await claim(...request);
      claimed.push(...events.map(({ body }) => body));
      return events;
    });
    target.expiryOf = ({ body, time }) => (body === 'slow:expired' ? time : Number.POSITIVE_INFINITY);
    target.behaviour = () => later(rejected, 10 * second);
    await add(4, 'slow:mail');
    await pass(3 * second);
    await add(5, 'slow:expired');
    await pass(second);
    expect(claimed.filter((body) => body === 'slow:expired')).to.have.length(5);
    expect(queue.counts.expired).to.equal(5);
    expect(await outbox.pending(destination, 100)).to.equal(4);
  });

  it('sends events of new lanes while those of many lanes are slow', async () => {
    target.behaviour = (text) => (text.startsWith('slow') ? later(rejected, 10 * second) : { outcome: 'delivered' });
    for (let lane = 0; lane < 100; lane++) await add(1, `slow-${lane}:mail`);
    for (let lane = 0; lane < 10; lane++) {
      await add(1, `usual-${lane}:mail`);
      await pass(11 * second);
      expect(count(`usual-${lane}:mail`), `lane ${lane}`).to.equal(1);
    }
    expect(target.mostInProgress).to.be.at.most(32);
    // Their lanes are known, so that they take half of the attempts at most.
    await pass(minute);
    const sentAt: number[] = [];
    for (let lane = 0; lane < 10; lane++) {
      await add(1, `another-${lane}:mail`);
      await pass(second);
      sentAt.push(count(`another-${lane}:mail`));
    }
    expect(sentAt).to.deep.equal(Array.from({ length: 10 }, () => 1));
    expect(queue.error).to.equal(undefined);
  });

  it('pauses for a target that fails, and sends the rest when it is available again', async () => {
    let isDown = true;
    target.behaviour = () => (isDown ? failed : { outcome: 'delivered' });
    await add(200, 'usual');
    const { failed: first } = queue.counts;
    expect(first).to.be.within(1, 16);
    await pass(minute);
    expect(queue.counts.failed - first).to.be.within(2, 20);
    isDown = false;
    await pass(6 * minute);
    expect(count('usual')).to.equal(200);
    expect(lines.filter((line) => line.startsWith('unavailable'))).to.have.lengthOf(1);
    expect(lines.filter((line) => line.startsWith('available'))).to.have.lengthOf(1);
  });

  it('sends no event twice because its removal failed once', async () => {
    const done = mock.method(outbox, 'done');
    done.mock.mockImplementationOnce(() => Promise.reject(new Error('the connection was closed')));
    await add(1, 'usual');
    await pass(2 * minute);
    expect(count('usual')).to.equal(1);
    expect(lines).to.deep.equal([]);
  });
});
