import { randomUUID } from 'node:crypto';
import {
  type ClaimedEvent,
  countByDestination,
  EventOutbox,
  type Lease,
  type QueuedEvent,
  type WaitingEvent,
  type WaitingEvents,
} from '../../../application/ports/event-outbox.ts';
import type { Log } from '../../../application/ports/log.ts';
import { StoredEvents } from '../../kit/stored-event.ts';
import { byDueTime, DueTimeIndex } from './due-time-index.ts';
import { indexHint, type UserCollection } from './user-collection.ts';
import { type DocumentKey, documentKeyOf, eventsAlone, eventsIn, isRemoved } from './user-record.ts';

const byTime = { 'events.time': 1 } as const;
const byId = { hint: { _id: 1 } } as const;

/**
 * Events in the documents of their users, because a single server has no transactions. The update that claims an event is
 * conditional on its number of attempts, so that only one of several processes gets it.
 */
export class MongodbEventOutbox extends EventOutbox {
  private readonly index: DueTimeIndex;
  private readonly stored: StoredEvents;

  constructor(
    private readonly users: UserCollection,
    log: Log,
  ) {
    super();
    this.index = new DueTimeIndex(users);
    this.stored = new StoredEvents(log);
  }

  private get documents() {
    return this.users.documents;
  }

  async add(events: readonly QueuedEvent[]): Promise<void> {
    if (events.length === 0) return;
    const { _id, email, version, ...fields } = eventsAlone(randomUUID(), events);
    const options = { ...indexHint, maxTimeMS: this.users.timeoutMs, upsert: true };
    // An upsert, because an insert cannot name the index.
    await this.users.callWithIndex(() =>
      this.documents.updateOne({ _id, email }, { $setOnInsert: { version, ...fields } }, options),
    );
  }

  claim(destination: string, limit: number, { now, until }: Lease): Promise<readonly ClaimedEvent[]> {
    return this.index.use(async () => {
      const candidates = await this.dueEvents(destination, limit, now);
      const claims = candidates.slice(0, limit).map(async ({ due: _, ...event }) => {
        const isClaimed = await this.take(event, until);
        return isClaimed ? [{ ...event, attempts: event.attempts + 1 }] : [];
      });
      return (await Promise.all(claims)).flat().sort((one, other) => one.time - other.time);
    });
  }

  /** Due events that can be read, the first ones by the time at which they are due. */
  private async dueEvents(destination: string, limit: number, now: number): Promise<readonly WaitingEvent[]> {
    const filter = { events: { $elemMatch: { destination, due: { $lte: now } } } };
    for (let documents = limit; ; documents *= 2) {
      const options = { hint: byDueTime, limit: documents, projection: { email: 1, events: 1 } };
      const found = await this.documents.find(filter, options).toArray();
      const events = this.stored
        .decode(found.flatMap(eventsIn))
        .filter((event) => event.destination === destination && event.due <= now);
      // Damaged events stay in the first places until they expire, and must not stop those after them.
      if (events.length >= limit || found.length < documents) return events;
    }
  }

  done({ id, destination, receipt }: ClaimedEvent): Promise<void> {
    return this.change(receipt, async (key) => {
      const left = await this.documents.findOneAndUpdate(
        key,
        { $pull: { events: { id, destination } } },
        { ...byId, returnDocument: 'after', projection: { email: 1, events: { $slice: 1 } } },
      );
      if (left?.events?.length === 0) await this.deleteRemoved(left);
      return left !== null;
    });
  }

  postpone({ id, destination, attempts, receipt }: ClaimedEvent, due: number): Promise<void> {
    return this.change(receipt, async (key) => {
      const filter = { ...key, events: { $elemMatch: { id, destination, attempts } } };
      const { matchedCount } = await this.documents.updateOne(filter, { $set: { 'events.$.due': due } }, byId);
      return matchedCount === 1;
    });
  }

  pending(destination: string, most: number): Promise<number> {
    return this.index.use(async () => {
      const counted = await this.documents
        .aggregate<{ readonly count: number }>(
          [
            { $match: { 'events.destination': destination } },
            { $project: { _id: 0, events: 1 } },
            { $unwind: '$events' },
            { $match: { 'events.destination': destination } },
            { $limit: most },
            { $count: 'count' },
          ],
          { hint: byDueTime },
        )
        .next();
      return counted?.count ?? 0;
    });
  }

  /** Sorted by the identifier of the document, which neither a claim nor a delay changes. */
  list(destination: string, limit: number, after = ''): Promise<WaitingEvents> {
    return this.index.use(async () => {
      const filter = { 'events.destination': destination, _id: { $gt: after } };
      const page = {
        hint: byDueTime,
        sort: { _id: 1 },
        limit,
        projection: { email: 1, events: 1 },
      } as const;
      const found = await this.documents.find(filter, page).toArray();
      const events = this.stored.decode(found.flatMap(eventsIn)).filter((event) => event.destination === destination);
      return { events, next: found.length < limit ? undefined : found.at(-1)?._id };
    });
  }

  expire(before: number, limit: number): Promise<ReadonlyMap<string, number>> {
    return this.users.callWithIndex(async () => {
      // Creating an existing index is cheap. It is created each time, because dropping the collection drops the index.
      await this.documents.createIndex(byTime, { sparse: true });
      // A damaged member `events` that is no list has no first event.
      const old = { 'events.time': { $lt: before }, 'events.0': { $exists: true } };
      const found = await this.documents.find(old, { hint: byTime, limit, projection: { email: 1 } }).toArray();
      const removed = await Promise.all(found.map((key) => this.removeOld(key, before)));
      return countByDestination(removed.flat());
    });
  }

  /**
   * Changes the document of a claimed event; `run` returns false if it finds none. If the address has changed since the
   * claim, runs again with the new one.
   */
  private change(receipt: string, run: (key: DocumentKey) => Promise<boolean>): Promise<void> {
    return this.users.callWithIndex(async () => {
      const key = documentKeyOf(receipt);
      if (await run(key)) return;
      const found = await this.documents.findOne({ _id: key._id }, { projection: { email: 1 } });
      if (found !== null && found.email !== key.email) await run(found);
    });
  }

  /** Removes the events of one document that happened before a time, and returns them. */
  private async removeOld(
    { _id, email }: DocumentKey,
    before: number,
  ): Promise<readonly Pick<QueuedEvent, 'destination'>[]> {
    const former = await this.documents.findOneAndUpdate(
      { _id, email },
      { $pull: { events: { time: { $lt: before } } } },
      { ...byId, returnDocument: 'before', projection: { email: 1, 'events.time': 1, 'events.destination': 1 } },
    );
    if (former === null) return [];
    const events = eventsIn(former);
    const removed = events.flatMap(({ time, destination }) =>
      typeof time === 'number' && time < before ? [{ destination: String(destination) }] : [],
    );
    if (removed.length === events.length) await this.deleteRemoved(former);
    return removed;
  }

  /** Deletes the document of a removed user unless it has another event. */
  private async deleteRemoved({ _id, email }: DocumentKey): Promise<void> {
    if (isRemoved(email)) await this.documents.deleteOne({ _id, email, events: { $size: 0 } });
  }

  /**
   * Claims an event. Returns false if another process claimed it first, or if the address of its user has changed since
   * it was read; the next claim finds it then.
   */
  private async take({ id, destination, attempts, receipt }: ClaimedEvent, until: number): Promise<boolean> {
    const { modifiedCount } = await this.documents.updateOne(
      { ...documentKeyOf(receipt), events: { $elemMatch: { id, destination, attempts } } },
      { $set: { 'events.$.due': until }, $inc: { 'events.$.attempts': 1 } },
      byId,
    );
    return modifiedCount === 1;
  }
}
