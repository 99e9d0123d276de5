import { Fault } from '../../application/fault.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { ClaimedEvent, EventOutbox } from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';
import { pauseOfEvent, pauseOfReceiver, shortestPause } from './backoff.ts';
import { type Attempt, patience, type Receiver } from './receiver.ts';
import { Alarm } from './wake-up-timer.ts';

/** How many events are under way to one receiver at a time; to one that failed last, a single one. */
const widest = 16;
/** How long a claimed event is kept from others, in milliseconds: longer than an attempt takes. */
const lease = patience + 5_000;
/** How often the queue is looked at for events of other processes, and for those whose pause is over, in milliseconds. */
const interval = 5_000;
/** After so many refusals in a row it is not the event that is wrong. */
const mostRefusals = 8;

const untried: Attempt = { outcome: 'failed', reason: 'not tried', pause: 0 };

/** What is needed to bring events from a queue to a receiver. */
export interface LaneParts {
  readonly destination: string;
  readonly queue: EventOutbox;
  readonly receiver: Receiver;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Brings the events of one destination to it, and leaves it alone for a while when it fails: each failure costs one
 * request, however many events wait.
 */
export class Lane {
  delivered = 0;
  failed = 0;
  /** Why the receiver takes no events just now; undefined when it does, as far as is known. */
  trouble: string | undefined;
  private readonly inFlight = new Set<Promise<void>>();
  private readonly alarm = new Alarm();
  private failures = 0;
  private refusals = 0;
  /** Until when the receiver is left alone, on the clock of `performance`. */
  private pausedUntil = 0;
  /** When the first of those is due again that were postponed here, on the same clock. */
  private nextDue = Number.POSITIVE_INFINITY;
  private blind = false;
  private stopping = false;
  private running: Promise<void> | undefined;

  constructor(readonly parts: LaneParts) {}

  start(): void {
    this.running = this.run();
  }

  /** Says that there may be an event. */
  nudge(): void {
    this.alarm.ring();
  }

  /** Claims nothing more, and gives what is under way so many milliseconds; the rest is due again at once. */
  async stop(milliseconds: number): Promise<void> {
    this.stopping = true;
    this.alarm.ring();
    const last = setTimeout(() => this.parts.receiver.abandon(), milliseconds);
    await this.running;
    await Promise.all(this.inFlight);
    clearTimeout(last);
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const pause = this.pausedUntil - performance.now();
      if (pause > 0) {
        // Whatever else happened does not make the receiver well.
        this.alarm.mute();
        await this.alarm.after(pause);
        continue;
      }
      const free = this.width - this.inFlight.size;
      this.alarm.mute();
      if (this.nextDue <= performance.now()) this.nextDue = Number.POSITIVE_INFINITY;
      const claimed = free > 0 ? await this.claim(free) : [];
      for (const event of claimed) this.launch(event);
      if (claimed.length < Math.max(free, 1)) await this.alarm.after(this.untilNextLook());
    }
  }

  /** In milliseconds: until the next event is due that was postponed here, and no longer than the interval. */
  private untilNextLook(): number {
    const spread = interval * (1 + Math.random() / 4);
    return Math.max(0, Math.min(spread, this.nextDue - performance.now()));
  }

  private get width(): number {
    return this.trouble === undefined ? widest : 1;
  }

  private async claim(limit: number): Promise<readonly ClaimedEvent[]> {
    const { queue, destination, clock } = this.parts;
    const now = clock.now();
    try {
      const claimed = await queue.claim(destination, limit, { now, until: now + lease });
      this.blind = false;
      return claimed;
    } catch (error) {
      this.complain(error);
      return [];
    }
  }

  /** Once for each trouble of the database. */
  private complain(error: unknown): void {
    const reason = error instanceof Fault ? error.message : 'unexpected';
    if (!this.blind)
      this.parts.log.warn({ reason }, 'the events in the database can not be read or written; they wait');
    this.blind = true;
  }

  private launch(event: ClaimedEvent): void {
    const delivery = this.deliver(event).finally(() => {
      this.inFlight.delete(delivery);
      // Half of the room is claimed at once, rather than every place that comes free.
      if (this.inFlight.size <= this.width / 2) this.alarm.ring();
    });
    this.inFlight.add(delivery);
  }

  private async deliver(event: ClaimedEvent): Promise<void> {
    const { queue, receiver, clock } = this.parts;
    // What a claim brought when the stop had begun is given back.
    const attempt = this.stopping ? untried : await receiver.send(event, clock.now());
    this.note(attempt);
    try {
      if (attempt.outcome === 'delivered') await queue.done(event);
      else await this.postpone(event, attempt.pause);
    } catch (error) {
      // The event is due again when its lease ends.
      this.complain(error);
    }
  }

  /** An attempt that a stop cut off is no failure of the receiver: the next process tries at once. */
  private async postpone(event: ClaimedEvent, asked: number): Promise<void> {
    const pause = this.stopping ? 0 : Math.max(asked, pauseOfEvent(event.attempts));
    // A little later than it is due, which is told in whole milliseconds.
    this.nextDue = Math.min(this.nextDue, performance.now() + pause + 1);
    await this.parts.queue.postpone(event, Math.ceil(this.parts.clock.now() + pause));
  }

  private note(attempt: Attempt): void {
    if (attempt.outcome === 'delivered') this.noteDelivery();
    else if (!this.stopping) this.noteFailure(attempt.outcome, attempt.reason, attempt.pause);
  }

  private noteFailure(outcome: 'refused' | 'failed', reason: string, asked: number): void {
    this.failed++;
    if (outcome === 'refused' && ++this.refusals < mostRefusals) {
      this.warn(reason, 'a webhook refuses an event, which is tried again later');
      return;
    }
    this.suspend(outcome, asked);
    this.warn(reason, 'a webhook takes no events; they wait');
    this.trouble = reason;
  }

  /** What was sent at the same time and fails as well is the same failure. */
  private suspend(outcome: 'refused' | 'failed', asked: number): void {
    const now = performance.now();
    if (now >= this.pausedUntil) this.failures++;
    const own = outcome === 'refused' ? shortestPause : pauseOfReceiver(this.failures);
    this.pausedUntil = Math.max(this.pausedUntil, now + Math.max(own, asked));
  }

  private noteDelivery(): void {
    this.delivered++;
    if (this.trouble !== undefined)
      this.parts.log.info({ host: this.parts.receiver.host }, 'a webhook takes events again');
    this.trouble = undefined;
    this.failures = 0;
    this.refusals = 0;
    this.pausedUntil = 0;
  }

  private warn(reason: string, message: string): void {
    // Once for each trouble: what follows is the same.
    if (this.trouble === undefined) this.parts.log.warn({ host: this.parts.receiver.host, reason }, message);
  }
}
