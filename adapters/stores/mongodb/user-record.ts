import type { Document, UpdateFilter } from 'mongodb';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { StoredUser } from '../../../application/ports/user-store.ts';
import { keyOf } from '../../../domain/email-address.ts';
import { fieldOf, type User, type UserField, userFields } from '../../../domain/user.ts';
import type { EventValues } from '../../kit/stored-event.ts';
import { storedUser } from '../../kit/stored-user.ts';

/** An event in the document of its user, until it is delivered. */
export interface EventRecord extends QueuedEvent {
  /** When it may be claimed next, in milliseconds since the epoch. */
  readonly due: number;
  readonly attempts: number;
}

type FieldValues = { readonly [Field in UserField as Field['name']]?: string | number | boolean | null };

/**
 * A user as a document. Its other members are the fields of the user under their own names; custom properties are one
 * text, so that BSON can change neither their names nor their numbers.
 */
export interface UserRecord extends FieldValues {
  /** The version of the insert. It stays when the address changes. */
  readonly _id: string;
  /** The key of the address, under a unique index. */
  readonly email: string;
  readonly version: string;
  /** The events that are not delivered yet; absent if there never was one. */
  readonly events?: readonly EventRecord[];
}

const fieldNames: readonly string[] = userFields.map(({ name }) => name);

/** The projection of what `toStoredUser` reads. */
export const readFields = { ...Object.fromEntries(['version', ...fieldNames].map((name) => [name, 1])), _id: 0 };

/** The members of a document; those of absent optional fields are left out. */
export const toRecord = (user: User, version: string): Omit<UserRecord, '_id' | 'events'> => ({
  email: keyOf(user.email.address),
  version,
  ...Object.fromEntries(
    userFields.flatMap((field) => {
      const value = fieldOf(user, field);
      return value === undefined ? [] : [[field.name, value]];
    }),
  ),
});

const optionalFields: readonly UserField[] = userFields.filter(({ presence }) => presence === 'optional');

/** The update of a document to a user, which removes the members of absent optional fields. */
export const replacing = (user: User, version: string): UpdateFilter<UserRecord> => ({
  $set: toRecord(user, version),
  $unset: Object.fromEntries(
    optionalFields.flatMap((field) => (fieldOf(user, field) === undefined ? [[field.name, true as const]] : [])),
  ),
});

/** The user in the document of a key; throws the Fault `store_rejected` that names it if the document is damaged. */
export const toStoredUser = (document: Readonly<Record<string, unknown>>, key: string): StoredUser => {
  // Documents of former versions lack optional fields.
  const values = userFields.map(({ name, presence }) =>
    presence === 'optional' ? (document[name] ?? null) : document[name],
  );
  return storedUser(key, document.version, values);
};

export const toEventRecords = (events: readonly QueuedEvent[]): EventRecord[] =>
  events.map(({ id, destination, time, body }) => ({ id, destination, time, body, due: time, attempts: 0 }));

/** The document of an event. An identifier contains no space. */
export const receiptOf = ({ _id, email }: Document): string => `${_id} ${email}`;

/**
 * The document of an event. Its address, the shard key of a sharded collection, is in the filter of every command, so that
 * the command goes to one shard; `findOneAndUpdate` without it is refused.
 */
export type DocumentKey = Pick<UserRecord, '_id' | 'email'>;

export const documentKeyOf = (receipt: string): DocumentKey => {
  const [_id = '', ...email] = receipt.split(' ');
  return { _id, email: email.join(' ') };
};

const noEvent = { id: undefined, destination: undefined, time: undefined, body: undefined, due: undefined };

/** What the document of a user holds as events, which another program may have damaged. */
export const eventsIn = (document: Document): readonly EventValues[] => {
  const receipt = receiptOf(document);
  const events: unknown = document.events ?? [];
  // A damaged member is an event without values, which is reported.
  return (Array.isArray(events) ? events : [null]).map((event) => ({
    ...noEvent,
    attempts: undefined,
    ...event,
    receipt,
  }));
};

/** The update that adds events to a document. */
export const addingEvents = (events: readonly QueuedEvent[]): UpdateFilter<UserRecord> =>
  events.length === 0 ? {} : { $push: { events: { $each: toEventRecords(events) } } };

/** The prefix of `email` in documents that hold only events, as those of removed users; no address starts with it. */
const removedPrefix = 'deleted ';

/** The update that leaves only the events of a removed user in its document. */
export const removal = (version: string, events: readonly QueuedEvent[]): UpdateFilter<UserRecord> => ({
  $set: { email: `${removedPrefix}${version}`, version },
  $unset: Object.fromEntries(fieldNames.map((name) => [name, true as const])),
  ...addingEvents(events),
});

/** A document of events that belong to no user. It is deleted like that of a removed user. */
export const eventsAlone = (version: string, events: readonly QueuedEvent[]) => ({
  _id: version,
  email: `${removedPrefix}${version}`,
  version,
  events: toEventRecords(events),
});

export const isRemoved = (email: string): boolean => email.startsWith(removedPrefix);

/** The documents of removed users without events, as the index on `email` finds them. */
export const delivered = { email: { $gte: removedPrefix, $lt: 'deleted!' }, events: { $size: 0 } };
