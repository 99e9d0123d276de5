import type { UpdateFilter } from 'mongodb';
import type { ClaimedEvent, QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { EventRecord, UserRecord } from './record.ts';

export const toEventRecords = (events: readonly QueuedEvent[]): EventRecord[] =>
  events.map(({ id, destination, time, body }) => ({ id, destination, time, body, due: time, attempts: 0 }));

/** The event that was claimed in a document. */
export const toClaimed = ({ id, destination, time, body, attempts }: EventRecord, receipt: string): ClaimedEvent => ({
  id,
  destination,
  time,
  body,
  attempts: attempts + 1,
  receipt,
});

/** The change of a document that adds events to those that wait there. */
export const adding = (events: readonly QueuedEvent[]): UpdateFilter<UserRecord> =>
  events.length === 0 ? {} : { $push: { events: { $each: toEventRecords(events) } } };

/** What the keys of removed users begin with: no address has a space. */
const removedKey = 'deleted ';

/** What is left of a removed user while its events wait: nobody's key, and nothing of the user but them. */
export const removal = (version: string, events: readonly QueuedEvent[]): UpdateFilter<UserRecord> => ({
  $set: { email: `${removedKey}${version}`, version },
  $unset: {
    address: true,
    verified: true,
    verificationToken: true,
    tokenTime: true,
    mailTime: true,
    password: true,
    creationTime: true,
    lastUpdateTime: true,
    properties: true,
  },
  ...adding(events),
});

export const isRemoved = (email: string): boolean => email.startsWith(removedKey);

/** Which documents are removed users of whom no event waits any more; the index on the keys finds them. */
export const spent = { email: { $gte: removedKey, $lt: 'deleted!' }, events: { $size: 0 } };
