import type { Collection } from 'mongodb';
import {
  type ClaimedEvent,
  countByDestination,
  EventOutbox,
  type Lease,
} from '../../../application/ports/event-outbox.ts';
import { mayMissIndex } from './errors.ts';
import { isRemoved, spent, toClaimed } from './event-record.ts';
import type { EventRecord, UserRecord } from './record.ts';
import { indexHint } from './unique-index.ts';

/** Users of whom an event waits; in the order of the index the one that has been due for the longest comes first. */
const waiting = { 'events.destination': 1, 'events.due': 1 } as const;
/** Users of whom an event waits, by when it happened. */
const byTime = { 'events.time': 1 } as const;

/**
 * The events in the documents of the users: they need no transaction, which a single server does not have. Each is
 * claimed by an update that names how often it was claimed before, so that only one of several gets it.
 */
export class MongodbEventOutbox extends EventOutbox {
  private prepared: Promise<unknown> | undefined;

  constructor(
    private readonly users: Collection<UserRecord>,
    /** Runs something at the database in time, and again when an index that it names was missing; throws a Fault. */
    private readonly call: <T>(run: () => Promise<T>) => Promise<T>,
  ) {
    super();
  }

  claim(destination: string, limit: number, { now, until }: Lease): Promise<readonly ClaimedEvent[]> {
    return this.withIndex(async () => {
      const due = { destination, due: { $lte: now } };
      const found = await this.users
        .find({ events: { $elemMatch: due } }, { hint: waiting, limit, projection: { events: 1 } })
        .toArray();
      const candidates = found.flatMap(({ _id, events = [] }) =>
        events
          .filter((event) => event.destination === destination && event.due <= now)
          .map((event) => ({ _id, event })),
      );
      const claims = candidates.slice(0, limit).map(async ({ _id, event }) => {
        const mine = await this.take(_id, event, until);
        return mine ? [toClaimed(event, _id)] : [];
      });
      return (await Promise.all(claims)).flat().sort((one, other) => one.time - other.time);
    });
  }

  done({ id, destination, receipt }: ClaimedEvent): Promise<void> {
    return this.call(async () => {
      const left = await this.users.findOneAndUpdate(
        { _id: receipt },
        { $pull: { events: { id, destination } } },
        { returnDocument: 'after', projection: { email: 1, events: { $slice: 1 } } },
      );
      if (left?.events?.length === 0) await this.forgetRemoved(left);
    });
  }

  postpone({ id, destination, attempts, receipt }: ClaimedEvent, due: number): Promise<void> {
    return this.call(async () => {
      const claimed = { events: { $elemMatch: { id, destination, attempts } } };
      await this.users.updateOne({ _id: receipt, ...claimed }, { $set: { 'events.$.due': due } });
    });
  }

  pending(destination: string, most: number): Promise<number> {
    return this.withIndex(async () => {
      const counted = await this.users
        .aggregate<{ readonly count: number }>(
          [
            { $match: { 'events.destination': destination } },
            { $project: { _id: 0, events: 1 } },
            { $unwind: '$events' },
            { $match: { 'events.destination': destination } },
            { $limit: most },
            { $count: 'count' },
          ],
          { hint: waiting },
        )
        .next();
      return counted?.count ?? 0;
    });
  }

  expire(before: number, limit: number): Promise<ReadonlyMap<string, number>> {
    return this.call(async () => {
      // Nothing to do where it is there, and whoever drops the collection drops it.
      await this.users.createIndex(byTime, { sparse: true });
      const old = { 'events.time': { $lt: before } };
      const found = await this.users.find(old, { hint: byTime, limit, projection: { _id: 1 } }).toArray();
      const removed = await Promise.all(found.map(({ _id }) => this.removeOld(_id, before)));
      return countByDestination(removed.flat());
    });
  }

  /** Removes the events of one user that happened before a time, and resolves with them. */
  private async removeOld(_id: string, before: number): Promise<readonly Pick<EventRecord, 'destination'>[]> {
    const former = await this.users.findOneAndUpdate(
      { _id },
      { $pull: { events: { time: { $lt: before } } } },
      { returnDocument: 'before', projection: { email: 1, 'events.time': 1, 'events.destination': 1 } },
    );
    const { events = [] } = former ?? {};
    const removed = events.filter(({ time }) => time < before);
    if (former !== null && removed.length === events.length) await this.forgetRemoved(former);
    return removed;
  }

  /** Removes what is left of a removed user, unless an event waits there. */
  private async forgetRemoved({ _id, email }: Pick<UserRecord, '_id' | 'email'>): Promise<void> {
    if (isRemoved(email)) await this.users.deleteOne({ _id, email, events: { $size: 0 } });
  }

  private async take(_id: string, { id, destination, attempts }: EventRecord, until: number): Promise<boolean> {
    const { modifiedCount } = await this.users.updateOne(
      { _id, events: { $elemMatch: { id, destination, attempts } } },
      { $set: { 'events.$.due': until }, $inc: { 'events.$.attempts': 1 } },
    );
    return modifiedCount === 1;
  }

  /** Runs a command that names the index; when it finds none, the next attempt makes it anew. */
  private withIndex<T>(run: () => Promise<T>): Promise<T> {
    return this.call(async () => {
      await this.ready();
      try {
        return await run();
      } catch (error) {
        // Whoever drops the collection, or restores one from before there were events, drops the index.
        if (mayMissIndex(error)) this.prepared = undefined;
        throw error;
      }
    });
  }

  /** Makes the index once, and removes what a crash left of removed users; tries again after a failure. */
  private ready(): Promise<unknown> {
    this.prepared ??= this.prepare().catch((error: unknown) => {
      this.prepared = undefined;
      throw error;
    });
    return this.prepared;
  }

  private async prepare(): Promise<void> {
    await this.users.createIndex(waiting, { sparse: true });
    await this.users.deleteMany(spent, indexHint);
  }
}
