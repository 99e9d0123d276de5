import { randomUUID } from 'node:crypto';
import type { Document } from 'mongodb';
import { Fault } from '../../../application/fault.ts';
import {
  type ClaimedEvent,
  EventOutbox,
  type Lease,
  type QueuedEvent,
  type WaitingEvent,
  type WaitingEvents,
} from '../../../application/ports/event-outbox.ts';
import type { Log } from '../../../application/ports/log.ts';
import { StoredEvents } from '../stored-event.ts';
import { isInvalidDocument } from './errors.ts';
import { byId, DueTimeIndex, deleteRemoved, expireEvents } from './event-indexes.ts';
import type { UserCollection } from './user-collection.ts';
import { indexHint } from './user-indexes.ts';
import {
  afterPosition,
  type DocumentKey,
  documentAt,
  documentKeyOf,
  eventsAlone,
  eventsIn,
  positionOf,
} from './user-record.ts';

/** The Fault of a document that a validator of the collection keeps from being changed names it. */
const namingDocument = async <Result>(record: string, change: () => Promise<Result>): Promise<Result> => {
  try {
    return await change();
  } catch (error) {
    if (!isInvalidDocument(error)) throw error;
    const reason = 'a validator of the collection refuses a document with stored events';
    throw new Fault('store_rejected', reason, { record });
  }
};

const withEvents = { email: 1, events: 1 } as const;

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

  claim(destination: string, limit: number, lease: Lease): Promise<readonly ClaimedEvent[]> {
    return this.index.use(async () => {
      // Those of the last 15 s, because an index of a list cannot be read backwards.
      const newest = lease.newestFirst === true ? await this.claimSince(destination, limit, lease, 15_000) : [];
      return newest.length > 0 ? newest : this.claimSince(destination, limit, lease);
    });
  }

  /** Claims events that happened at most `maxAgeMs` ago. */
  private async claimSince(destination: string, limit: number, { now, until }: Lease, maxAgeMs?: number) {
    const since = maxAgeMs === undefined ? {} : { time: { $gte: now - maxAgeMs } };
    const filter = { events: { $elemMatch: { destination, due: { $lte: now }, ...since } } };
    const options = { hint: this.index.hint, projection: withEvents };
    const claimed: ClaimedEvent[] = [];
    const tried = new Set<string>();
    // Damaged events, and those that cannot be claimed, stay in the first places and must not stop those after them.
    for (let documents = limit; ; documents *= 2) {
      const found = await this.documents.find(filter, { ...options, limit: documents }).toArray();
      const untried = this.stored
        .decode(found.flatMap(eventsIn))
        .filter(
          (event) =>
            event.destination === destination && event.due <= now && !tried.has(`${event.id} ${event.receipt}`),
        );
      const candidates = untried.slice(0, limit - claimed.length);
      for (const event of candidates) tried.add(`${event.id} ${event.receipt}`);
      claimed.push(...(await Promise.all(candidates.map((event) => this.take(event, until)))).flat());
      const isLast = found.length < documents && candidates.length === untried.length;
      if (claimed.length === limit || isLast) return claimed.sort((one, other) => one.time - other.time);
    }
  }

  done({ id, destination, receipt }: ClaimedEvent): Promise<void> {
    return this.change(receipt, async (key) => {
      const left = await this.documents.findOneAndUpdate(
        documentAt(key),
        { $pull: { events: { id, destination } } },
        { ...byId, returnDocument: 'after', projection: { email: 1, events: { $slice: 1 } } },
      );
      if (left?.events?.length === 0) await deleteRemoved(this.documents, left);
      return left !== null;
    });
  }

  postpone({ id, destination, attempts, receipt }: ClaimedEvent, due: number): Promise<void> {
    return this.change(receipt, async (key) => {
      const filter = { ...documentAt(key), events: { $elemMatch: { id, destination, attempts } } };
      const { matchedCount } = await this.documents.updateOne(filter, { $set: { 'events.$.due': due } }, byId);
      return matchedCount === 1;
    });
  }

  async pending(destination: string, most: number): Promise<number> {
    const ofDestination = { 'events.destination': destination };
    const stages = [{ $match: ofDestination }, { $limit: most }, { $count: 'count' }];
    const [counted] = await this.aggregate<{ readonly count: number }>(ofDestination, stages);
    return counted?.count ?? 0;
  }

  /** Sorted by the identifier of the document, which neither a claim nor a delay changes. */
  list(destination: string, limit: number, after?: string): Promise<WaitingEvents> {
    return this.index.use(async () => {
      const filter = { 'events.destination': destination, ...(after !== undefined && afterPosition(after)) };
      const page = { ...this.index.ofReads, sort: { _id: 1 } as const, limit, projection: withEvents };
      const found = await this.documents.find(filter, page).toArray();
      const events = this.stored.decode(found.flatMap(eventsIn)).filter((event) => event.destination === destination);
      return { events, next: found.length < limit ? undefined : positionOf(found.at(-1)) };
    });
  }

  async destinations(): Promise<readonly string[]> {
    const stages = [{ $group: { _id: '$events.destination' } }];
    const found = await this.aggregate<{ readonly _id: unknown }>({ 'events.destination': { $exists: true } }, stages);
    return found.map(({ _id }) => _id).filter((name) => typeof name === 'string');
  }

  /** What stages make of the events in the documents that `match` finds. */
  private aggregate<Result extends Document>(match: Document, stages: readonly Document[]): Promise<Result[]> {
    const ofEvents = [{ $match: match }, { $project: { _id: 0, events: 1 } }, { $unwind: '$events' }, ...stages];
    return this.index.use(() => this.documents.aggregate<Result>(ofEvents, this.index.ofReads).toArray());
  }

  expire(before: number, limit: number): Promise<ReadonlyMap<string, number>> {
    return this.users.callWithIndex(async () =>
      (await this.users.format.mayExpire(before)) ? expireEvents(this.documents, before, limit) : new Map(),
    );
  }

  /**
   * Changes the document of a claimed event; `run` returns false if it finds none. If the address has changed since the
   * claim, runs again with the new one.
   */
  private change(receipt: string, run: (key: DocumentKey) => Promise<boolean>): Promise<void> {
    return this.users.callWithIndex(() =>
      namingDocument(receipt, async () => {
        const key = documentKeyOf(receipt);
        if (await run(key)) return;
        const found = await this.documents.findOne({ _id: { $eq: key._id } }, { projection: { email: 1 } });
        if (found !== null && found.email !== key.email) await run(found);
      }),
    );
  }

  /**
   * Claims an event. Returns none if another process claimed it first, if the address of its user has changed since it was
   * read, which the next claim finds, or if its document cannot be changed, which must not stop the others.
   */
  private async take({ due: _, ...event }: WaitingEvent, until: number): Promise<readonly ClaimedEvent[]> {
    const { id, destination, attempts, receipt } = event;
    const claim = { $set: { 'events.$.due': until }, $inc: { 'events.$.attempts': 1 } };
    const filter = { ...documentAt(documentKeyOf(receipt)), events: { $elemMatch: { id, destination, attempts } } };
    try {
      const { modifiedCount } = await this.documents.updateOne(filter, claim, byId);
      return modifiedCount === 1 ? [{ ...event, attempts: attempts + 1 }] : [];
    } catch (error) {
      if (!isInvalidDocument(error)) throw error;
      this.stored.report(receipt, 'a validator of the database keeps a stored event from being delivered');
      return [];
    }
  }
}
