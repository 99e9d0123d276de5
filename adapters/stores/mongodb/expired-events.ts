import type { Collection } from 'mongodb';
import { countByDestination } from '../../../application/ports/event-outbox.ts';
import { isInvalidDocument } from './errors.ts';
import { type DocumentKey, documentAt, eventsIn, isRemoved, type UserRecord } from './user-record.ts';

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
