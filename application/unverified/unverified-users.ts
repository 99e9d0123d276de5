import { randomUUID } from 'node:crypto';
import { isRight } from 'fp-ts/lib/Either.js';
import { keyOf } from '../../domain/email-address.ts';
import { isUnverifiedTooLong, type UnverifiedPolicy } from '../../domain/unverified.ts';
import type { CommandBus } from '../bus.ts';
import { Fault } from '../fault.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClaimedEvent, EventOutbox, WaitingEvent } from '../ports/event-outbox.ts';
import type { Log } from '../ports/log.ts';
import { everyUser, type Listing, type UserListing } from '../ports/user-listing.ts';

/** The destination of the record by which processes take turns. No webhook has it. */
export const unverifiedDestination = 'unverified';

/** How many users are deleted at once, and the least time for as many: also the bound of what is read in a second. */
const pageSize = 100;
const pageMs = 1_000;

/** How long a process that died keeps the others waiting. */
const leaseMs = 30_000;
const maxPollMs = 60_000;

const within = (value: number, [min, max]: readonly [number, number]): number => Math.min(max, Math.max(min, value));

const unverifiedUsers: Omit<Listing, 'after'> = {
  ...everyUser,
  conditions: [{ field: 'verified', test: 'equals', value: false }],
  limit: pageSize,
};

/** How many users are to be deleted, as far as `maxMs` suffices to read them; deletes none. */
export const countUnverified = async (
  listing: UserListing,
  policy: UnverifiedPolicy,
  now: number,
  maxMs: number,
): Promise<{ readonly count: number; readonly isExact: boolean }> => {
  const startedMs = performance.now();
  let count = 0;
  let after: string | undefined;
  do {
    const page = await listing.list({ ...unverifiedUsers, after });
    count += page.users.filter((user) => isUnverifiedTooLong(user, policy, now)).length;
    after = page.next;
  } while (after !== undefined && performance.now() - startedMs < maxMs);
  return { count, isExact: after === undefined };
};

interface Parts {
  readonly commands: Pick<CommandBus, 'dispatch'>;
  readonly listing: UserListing;
  readonly outbox: EventOutbox;
  readonly clock: Clock;
  readonly log: Log;
  readonly policy: UnverifiedPolicy;
}

/**
 * Deletes the users whose time to verify is over, in passes over all unverified users, with a rest between them. Of all
 * processes one works at a time: it claims a record of the outbox, whose `due` says when the next pass begins.
 *
 * A pass begins at about the time that was stored as `due`. If it begins much later or earlier, the clock was set, or no process
 * ran: then users are not deleted before another rest is over, in which a wrong clock can be corrected.
 */
export class UnverifiedUsers {
  /** How many users this process has deleted. */
  deleted = 0;
  /** Why this process does not delete users at present; undefined if it does. */
  problem: string | undefined;
  private readonly restMs: number;
  /** How much the clock may differ from what is expected. */
  private readonly toleranceMs: number;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly parts: Parts) {
    const share = Math.ceil(parts.policy.unverifiedLifetimeMs / 24);
    this.restMs = within(share, [1_000, 6 * 3_600_000]);
    this.toleranceMs = within(share, [5_000, 600_000]);
  }

  start(): void {
    this.running = this.run();
  }

  /** Resolves when the present call of the database has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      let delayMs = Math.min(maxPollMs, this.restMs);
      try {
        delayMs = Math.min(delayMs, await this.turn());
      } catch (error) {
        this.report(error instanceof Fault ? error.message : 'unexpected error');
      }
      await this.sleep(delayMs);
    }
  }

  /** Begins a pass if it is due, and no other process does. Resolves with the time until the next turn, in milliseconds. */
  async turn(): Promise<number> {
    const { outbox, clock } = this.parts;
    const now = Math.ceil(clock.now());
    const record = await this.record();
    if (record === undefined) return this.restMs;
    if (record.due > now + Math.max(this.restMs, leaseMs) + this.toleranceMs) {
      this.report('the clock was set back, or differs between instances');
      await outbox.postpone(record, now + this.restMs);
      return this.restMs;
    }
    if (record.due > now) return record.due - now;
    const [claimed] = await outbox.claim(unverifiedDestination, 1, { now, until: now + leaseMs });
    if (claimed === undefined) return pageMs;
    if (now - record.due > this.toleranceMs) {
      this.report('the clock was set forward, or no instance was running');
      await outbox.postpone(claimed, now + this.restMs);
      return this.restMs;
    }
    if (await this.pass(claimed)) {
      // Another record, because old ones expire.
      await outbox.done(claimed);
      await this.addRecord();
    } else await outbox.postpone(claimed, Math.ceil(clock.now()));
    return this.restMs;
  }

  private async addRecord(): Promise<void> {
    const time = Math.ceil(this.parts.clock.now()) + this.restMs;
    const id = `${time}-${randomUUID()}`;
    await this.parts.outbox.add([{ id, destination: unverifiedDestination, time, body: '{}' }]);
  }

  /** The record of all processes. It is added if there is none, and one stays if several processes have added one. */
  private async record(): Promise<WaitingEvent | undefined> {
    const { outbox } = this.parts;
    const { events } = await outbox.list(unverifiedDestination, 10);
    const [first, ...others] = events.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    for (const other of others) await outbox.done(other);
    if (first === undefined) await this.addRecord();
    return first;
  }

  /** Whether the record is still claimed by this process, for some more time. */
  private async renew(claimed: ClaimedEvent): Promise<boolean> {
    const { outbox, clock } = this.parts;
    await outbox.postpone(claimed, Math.ceil(clock.now()) + leaseMs);
    const { events } = await outbox.list(unverifiedDestination, 10);
    return events.some(({ id, attempts }) => id === claimed.id && attempts === claimed.attempts);
  }

  /** False if it was interrupted. Whoever continues begins again: the users that were deleted are gone. */
  private async pass(claimed: ClaimedEvent): Promise<boolean> {
    const { listing, clock, log } = this.parts;
    const [startTime, startedMs] = [clock.now(), performance.now()];
    const deletedBefore = this.deleted;
    let after: string | undefined;
    try {
      do {
        const pageStartedMs = performance.now();
        if (Math.abs(clock.now() - startTime - (pageStartedMs - startedMs)) > this.toleranceMs) {
          this.report('the clock was set while users were being deleted');
          return true;
        }
        if (this.stopping.signal.aborted || !(await this.renew(claimed))) return false;
        const page = await listing.list({ ...unverifiedUsers, after });
        for (const { email } of page.users.filter((user) =>
          isUnverifiedTooLong(user, this.parts.policy, clock.now()),
        )) {
          // Others may have claimed the record by then.
          if (this.stopping.signal.aborted || performance.now() - pageStartedMs > leaseMs / 2) return false;
          await this.delete(keyOf(email.address));
        }
        after = page.next;
        if (after !== undefined) await this.sleep(pageMs - (performance.now() - pageStartedMs));
      } while (after !== undefined);
      this.problem = undefined;
      return true;
    } finally {
      const users = this.deleted - deletedBefore;
      if (users > 0) log.info({ users }, 'deleted users whose address was not verified in time');
    }
  }

  private async delete(key: ReturnType<typeof keyOf>): Promise<void> {
    try {
      const outcome = await this.parts.commands.dispatch({ type: 'DeleteUnverifiedUser', key });
      if (isRight(outcome) && outcome.right) this.deleted++;
    } catch (error) {
      // A damaged user must not keep the others.
      if (!(error instanceof Fault) || error.record === undefined) throw error;
    }
  }

  private report(problem: string): void {
    if (this.problem !== problem) this.parts.log.warn({ reason: problem }, 'unverified users are not deleted for now');
    this.problem = problem;
  }

  private sleep(durationMs: number): Promise<void> {
    const { signal } = this.stopping;
    return new Promise((resolve) => {
      if (signal.aborted || durationMs <= 0) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, durationMs);
      signal.addEventListener('abort', end);
    });
  }
}
