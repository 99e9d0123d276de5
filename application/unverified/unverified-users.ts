import { randomUUID } from 'node:crypto';
import { chainW, isRight } from 'fp-ts/lib/Either.js';
import { parse } from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import { keyOf } from '../../domain/email-address.ts';
import { isUnverifiedTooLong, type UnverifiedPolicy } from '../../domain/unverified.ts';
import type { User } from '../../domain/user.ts';
import { administrator as by } from '../administration/administrator.ts';
import type { CommandBus } from '../bus.ts';
import { reasonOf, unlessDamaged } from '../fault.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventOutbox } from '../ports/event-outbox.ts';
import type { Log } from '../ports/log.ts';
import { everyUser, type UserListing } from '../ports/user-listing.ts';

/** The destination of the record by which processes take turns. No webhook has it. */
export const unverifiedDestination = 'unverified';

/** How many users are read and deleted at once, and the least time for as many. */
const pageSize = 100;
const pageMs = 1_000;

/** How long a process that died keeps the others waiting. */
const leaseMs = 30_000;
const maxPollMs = 60_000;

const within = (value: number, [min, max]: readonly [number, number]): number => Math.min(max, Math.max(min, value));

/** The body of a record: the page that is due, after this position. */
const Position = t.partial({ after: t.string });

/** A page of users who are to be deleted, after the position of an earlier one. */
const overdue = async (listing: UserListing, policy: UnverifiedPolicy, now: number, after: string | undefined) => {
  const conditions = [{ field: 'verified', test: 'equals', value: false }] as const;
  const { users, next } = await listing.list({ ...everyUser, conditions, limit: pageSize, after });
  return { users: users.filter((user) => isUnverifiedTooLong(user, policy, now)), next };
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
    const { users, next } = await overdue(listing, policy, now, after);
    count += users.length;
    after = next;
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
 * Deletes the users whose time to verify is over, in passes over all unverified users, with a rest between them. A record of
 * the outbox says where and when to go on: of all processes, the one that claims it works on one page, and adds the next
 * record.
 *
 * If a record is due at quite another time than it should be, the clock was set, or no process ran: then users are not
 * deleted before another rest is over, in which a wrong clock can be corrected.
 */
export class UnverifiedUsers {
  /** How many users this process has deleted. */
  deleted = 0;
  /** Why this process does not delete users at present; undefined if it does. */
  problem: string | undefined;
  private readonly restMs: number;
  /** How much the clock may differ from what is expected. */
  private readonly toleranceMs: number;
  private isStopping = false;
  private wake: (() => void) | undefined;
  private running: Promise<void> | undefined;

  constructor(private readonly parts: Parts) {
    const share = Math.ceil(parts.policy.unverifiedLifetimeMs / 24);
    this.restMs = within(share, [pageMs, 6 * 3_600_000]);
    this.toleranceMs = within(share, [5_000, 600_000]);
  }

  start(): void {
    this.running = this.run();
  }

  /** Resolves when the present call of the database has ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.wake?.();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      let delayMs = this.restMs;
      try {
        delayMs = await this.turn();
      } catch (error) {
        this.report(reasonOf(error));
      }
      await this.sleep(Math.min(maxPollMs, delayMs));
    }
  }

  /** Works on a page if it is due, and no other process does. Resolves with the time until the next turn, in milliseconds. */
  async turn(): Promise<number> {
    const { outbox, clock } = this.parts;
    const [now, startedMs] = [Math.ceil(clock.now()), performance.now()];
    const { events } = await outbox.list(unverifiedDestination, 10);
    // Several processes may have added one at the same time.
    const [record, ...others] = events.toSorted((one, other) => (one.id > other.id ? -1 : 1));
    for (const other of others) await outbox.done(other);
    const expectedMs = Math.max(this.restMs, leaseMs) + this.toleranceMs;
    if (record === undefined || record.due > now + expectedMs || record.due < now - this.toleranceMs) {
      if (record !== undefined) {
        this.report('the clock was set, differs between instances, or no instance was running');
        await outbox.done(record);
      }
      await this.goOn(clock.now(), this.restMs);
      return this.restMs;
    }
    if (record.due > now) return record.due - now;
    const [claimed] = await outbox.claim(unverifiedDestination, 1, { now, until: now + leaseMs });
    if (claimed === undefined) return pageMs;
    // A damaged position begins another pass: it would stop all processes until its record expires.
    const position = chainW(Position.decode)(parse(claimed.body));
    const after = isRight(position) ? position.right.after : undefined;
    const page = await overdue(this.parts.listing, this.parts.policy, now, after);
    // Otherwise the page is due again at the end of the lease.
    if (!(await this.deleteAll(page.users))) return pageMs;
    this.problem = undefined;
    const delayMs = page.next === undefined ? this.restMs : pageMs;
    // Not by the clock, which may have been set since: the next turn is to notice it.
    await this.goOn(now + (performance.now() - startedMs), delayMs, page.next);
    await outbox.done(claimed);
    return delayMs;
  }

  /** Adds a record that is due so long after a time. */
  private async goOn(now: number, delayMs: number, after?: string): Promise<void> {
    const time = Math.ceil(now) + delayMs;
    const body = JSON.stringify({ after });
    await this.parts.outbox.add([{ id: `${time}-${randomUUID()}`, destination: unverifiedDestination, time, body }]);
  }

  /** False if it ended early: because the process stops, or before another one may claim the page. */
  private async deleteAll(users: readonly User[]): Promise<boolean> {
    const { commands, clock, log, policy } = this.parts;
    const [startedMs, before] = [performance.now(), this.deleted];
    const isOver = (user: User): boolean => isUnverifiedTooLong(user, policy, clock.now());
    try {
      for (const { email } of users) {
        if (this.isStopping || performance.now() - startedMs > leaseMs / 2) return false;
        const message = { type: 'EndUser', by, key: keyOf(email.address), reason: 'unverified', isOver } as const;
        // A damaged user must not keep the others.
        const outcome = await unlessDamaged(commands.dispatch(message), () => undefined);
        if (outcome !== undefined && isRight(outcome) && outcome.right) this.deleted++;
      }
      return true;
    } finally {
      const count = this.deleted - before;
      if (count > 0) log.info({ users: count }, 'deleted users whose address was not verified in time');
    }
  }

  private sleep(durationMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.isStopping ? 0 : durationMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private report(problem: string): void {
    if (this.problem !== problem) this.parts.log.warn({ reason: problem }, 'unverified users are not deleted for now');
    this.problem = problem;
  }
}
