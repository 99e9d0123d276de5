import { Fault } from '../../application/fault.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { EventOutbox } from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';
import { Alarm } from './wake-up-timer.ts';

/** How many events are removed in one call of the queue: other work of the database goes on in between. */
const slice = 50;
/** How often the queue is searched for old events, in milliseconds: a tenth of their age, within these bounds. */
const shortestIntervalMs = 1_000;
const longestIntervalMs = 600_000;

/** What an `EventExpiry` needs. */
export interface EventExpiryDependencies {
  readonly queue: EventOutbox;
  readonly clock: Clock;
  readonly log: Log;
  /** How old an event may become, in milliseconds. */
  readonly maxAge: number;
  /** The host of a destination; undefined where the configuration names no such webhook any more. */
  readonly hostOf: (destination: string) => string | undefined;
}

/**
 * Removes the events that no webhook took in time, so that their addresses are not kept for ever: those of a receiver
 * that is down or always refuses them, and those of a webhook that was removed from the configuration. Every process
 * does this; each event is removed, and counted, by one of them.
 */
export class EventExpiry {
  /** How many events this process removed, for each destination. */
  readonly expired = new Map<string, number>();
  /** Why old events could not be removed last time; undefined when they could. */
  trouble: string | undefined;
  private readonly alarm = new Alarm();
  private stopping = false;
  private running: Promise<void> | undefined;

  constructor(private readonly parts: EventExpiryDependencies) {}

  start(): void {
    this.running = this.run();
  }

  /** Resolves when the call of the queue that is under way has ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.alarm.ring();
    await this.running;
  }

  private async run(): Promise<void> {
    const interval = Math.min(Math.max(this.parts.maxAge / 10, shortestIntervalMs), longestIntervalMs);
    while (!this.stopping) {
      await this.removeOld();
      // Spread, so that processes that were started together do not search together.
      await this.alarm.after(interval * (1 + Math.random() / 4));
    }
  }

  private async removeOld(): Promise<void> {
    const { queue, clock, maxAge } = this.parts;
    const before = Math.floor(clock.now() - maxAge);
    const removed = new Map<string, number>();
    try {
      while (!this.stopping) {
        const counts = await queue.expire(before, slice);
        if (counts.size === 0) break;
        for (const [destination, count] of counts) removed.set(destination, (removed.get(destination) ?? 0) + count);
      }
      this.trouble = undefined;
    } catch (error) {
      this.noteTrouble(error instanceof Fault ? error.message : 'unexpected');
    }
    for (const [destination, count] of removed) this.note(destination, count);
  }

  private note(destination: string, events: number): void {
    this.expired.set(destination, (this.expired.get(destination) ?? 0) + events);
    const host = this.parts.hostOf(destination);
    const whose = host === undefined ? { destination } : { host };
    const message =
      host === undefined
        ? 'events for a webhook that is no longer configured were older than events.maxAge and are removed'
        : 'events that a webhook did not take were older than events.maxAge and are removed';
    this.parts.log.warn({ ...whose, events }, message);
  }

  /** Logged once until it works again. */
  private noteTrouble(reason: string): void {
    if (this.trouble === undefined) this.parts.log.warn({ reason }, 'old events can not be removed');
    this.trouble = reason;
  }
}
