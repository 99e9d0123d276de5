import type { Collection } from 'mongodb';
import { countByDestination } from '../../../application/ports/event-outbox.ts';
import { Once } from '../../concurrency/shared-call.ts';
import { isInvalidDocument, isMissingIndex, isUnindexable } from './errors.ts';
import type { UserCollection } from './user-collection.ts';
import { indexHint } from './user-indexes.ts';
import { type DocumentKey, delivered, documentAt, eventsIn, isRemoved, type UserRecord } from './user-record.ts';

/** The index that finds events of a destination in the order in which they are due. */
const byDueTime = { 'events.destination': 1, 'events.due': 1 } as const;

/** Takes its place where a damaged event has lists in both fields, which one index cannot contain. */
const byDueTimeAlone = { 'events.due': 1 } as const;

/** The index for the delivery of events, which is created when events are first claimed. */
export class DueTimeIndex {
  /** Creates the index, and deletes documents of removed users that a crash left. */
  private readonly prepared = new Once(() => this.prepare());
  /** The index to name in a command. */
  hint: typeof byDueTime | typeof byDueTimeAlone = byDueTime;

  constructor(private readonly users: UserCollection) {}

  /** The options of a read. Without a hint in a process that only reads, because it does not create the index. */
  get ofReads(): { readonly hint?: DueTimeIndex['hint'] } {
    return this.users.readOnly ? {} : { hint: this.hint };
  }

  /** Runs a command that names the index by due time. When that is missing, the next attempt creates it again. */
  use<T>(run: () => Promise<T>): Promise<T> {
    return this.users.callWithIndex(async () => {
      if (!this.users.readOnly) await this.prepared.get();
      try {
        return await run();
      } catch (error) {
        // The collection was dropped, or restored without events.
        if (isMissingIndex(error)) this.prepared.forget();
        throw error;
      }
    });
  }

  private async prepare(): Promise<void> {
    const { documents } = this.users;
    try {
      await documents.createIndex(byDueTime, { sparse: true });
    } catch (error) {
      if (!isUnindexable(error)) throw error;
      await documents.createIndex(byDueTimeAlone, { sparse: true });
      this.hint = byDueTimeAlone;
    }
    await documents.deleteMany(delivered, indexHint);
  }
}

type Documents = Collection<UserRecord>;

const byTime = { 'events.time': 1 } as const;

/** Names the index of identifiers in a command. */
export const byId = { hint: { _id: 1 } } as const;

/** Deletes the document of a removed user unless it has another event. */
export const deleteRemoved = async (documents: Documents, key: DocumentKey): Promise<void> => {
  if (isRemoved(key.email)) await documents.deleteOne({ ...documentAt(key), events: { $size: 0 } });
};

/** Removes the events of one document that happened before a time, and returns them; none if a validator refuses that. */
const removeOld = async (documents: Documents, key: DocumentKey, before: number) => {
  const former = await documents
    .findOneAndUpdate(
      documentAt(key),
      { $pull: { events: { time: { $lt: before } } } },
      { ...byId, returnDocument: 'before', projection: { email: 1, 'events.time': 1, 'events.destination': 1 } },
    )
    .catch((error: unknown) => {
      if (isInvalidDocument(error)) return null;
      throw error;
    });
  const events = former === null ? [] : eventsIn(former);
  const removed = events.flatMap(({ time, destination }) =>
    typeof time === 'number' && time < before ? [{ destination: String(destination) }] : [],
  );
  if (former !== null && removed.length === events.length) await deleteRemoved(documents, former);
  return removed;
};

/** Removes events of every destination that happened before a time, as EventOutbox does; `limit` counts documents. */
export const expireEvents = async (
  documents: Documents,
  before: number,
  limit: number,
): Promise<ReadonlyMap<string, number>> => {
  // Creating an existing index is cheap. It is created each time, because dropping the collection drops the index.
  await documents.createIndex(byTime, { sparse: true });
  // $pull refuses a damaged member `events` that is no list.
  const old = { 'events.time': { $lt: before }, events: { $type: 'array' } } as const;
  // Documents that cannot be changed stay in the first places and must not keep those after them.
  for (let most = limit; ; most *= 2) {
    const found = await documents.find(old, { hint: byTime, limit: most, projection: { email: 1 } }).toArray();
    const removed = (await Promise.all(found.map((key) => removeOld(documents, key, before)))).flat();
    if (removed.length > 0 || found.length < most) return countByDestination(removed);
  }
};
