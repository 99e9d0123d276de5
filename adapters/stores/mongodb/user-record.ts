import { BSON, type Document, type Filter, type UpdateFilter } from 'mongodb';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { StoredUser } from '../../../application/ports/user-store.ts';
import { keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { fieldOf, type UserField, userFields } from '../../../domain/user-fields.ts';
import type { UserName } from '../../../domain/user-name.ts';
import { storedUser } from '../../kit/user-json/stored-user.ts';
import type { EventValues } from '../stored-event.ts';

/** An event in the document of its user, until it is delivered. */
interface EventRecord extends QueuedEvent {
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
  /** The names of the user, under a unique index; absent without any, because the index would compare empty lists. */
  readonly names?: readonly string[];
  /** When a reservation ends. It means nothing in the document of a user. */
  readonly expires?: Date;
  /** The events that are not delivered yet; absent if there never was one. */
  readonly events?: readonly EventRecord[];
}

const fieldNames: readonly string[] = userFields.map(({ name }) => name);

/** The projection of what `toStoredUser` reads, with the key. */
export const readFields = {
  ...Object.fromEntries(['email', 'version', 'names', ...fieldNames].map((name) => [name, 1])),
  _id: 0,
};

/** The members of a document; those of absent optional fields are left out. */
export const toRecord = (
  user: User,
  version: string,
  names: readonly UserName[] = [],
): Omit<UserRecord, '_id' | 'events' | 'expires'> => ({
  email: keyOf(user.email.address),
  version,
  ...(names.length > 0 && { names }),
  ...Object.fromEntries(
    userFields.flatMap((field) => {
      const value = fieldOf(user, field);
      return value === undefined ? [] : [[field.name, value]];
    }),
  ),
});

const optionalFields: readonly UserField[] = userFields.filter(({ presence }) => presence === 'optional');

const members = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, true as const]));

/** The update of a document to a user, which removes the members of absent optional fields, and those of a reservation. */
export const replacing = (
  user: User,
  version: string,
  names: readonly UserName[],
  events: readonly QueuedEvent[],
): UpdateFilter<UserRecord> => {
  const absent = optionalFields.filter((field) => fieldOf(user, field) === undefined).map(({ name }) => name);
  return {
    $set: toRecord(user, version, names),
    $unset: members([...absent, 'expires', ...(names.length === 0 ? ['names'] : [])]),
    ...addingEvents(events),
  };
};

/**
 * The user in the document of a key; undefined if it only reserves it. Throws the Fault `store_rejected` that names a damaged
 * document.
 */
export const toStoredUser = (document: Readonly<Record<string, unknown>>, key: string): StoredUser | undefined => {
  // Documents of former versions lack optional fields.
  const values = userFields.map(({ name, presence }) =>
    presence === 'optional' ? (document[name] ?? null) : document[name],
  );
  const { version, names = [] } = document;
  return storedUser(key, version, values, Array.isArray(names) ? names : [names]);
};

export const toEventRecords = (events: readonly QueuedEvent[]): EventRecord[] =>
  events.map(({ id, destination, time, body }) => ({ id, destination, time, body, due: time, attempts: 0 }));

/**
 * The document of an event. Its address, the shard key of a sharded collection, is in the filter of every command, so that
 * the command goes to one shard; `findOneAndUpdate` without it is refused.
 */
export type DocumentKey = Pick<UserRecord, '_id' | 'email'>;

// Extended JSON keeps the types: other programs insert documents with an ObjectId.
const toText = (value: unknown): string => BSON.EJSON.stringify(value, { relaxed: false });

export const documentKeyOf = (receipt: string): DocumentKey => BSON.EJSON.parse(receipt, { relaxed: false });

/** Matches a value of another program, which must not be read as an operator. Texts stay plain, as sharded clusters route them. */
const equals = (value: string): string | { readonly $eq: string } =>
  typeof value === 'string' ? value : { $eq: value };

/** Finds a document. */
export const documentAt = ({ _id, email }: DocumentKey): Filter<UserRecord> => ({
  _id: equals(_id),
  email: equals(email),
});

/** Undefined for values that Extended JSON cannot express, as an object with the member `$oid`. */
const receiptOf = ({ _id, email = null }: Document): string | undefined => {
  try {
    const receipt = toText({ _id, email });
    documentKeyOf(receipt);
    return receipt;
  } catch {
    return undefined;
  }
};

/** The position after a document in the order of their identifiers. */
export const positionOf = (document: Document | undefined): string => toText({ _id: document?._id });

/** The identifier at a position, which is a text in positions of the former version. */
const identifierAt = (position: string): unknown => {
  try {
    return BSON.EJSON.parse(position, { relaxed: false })._id;
  } catch {
    return position;
  }
};

/** A comparison in $expr, because one in a filter skips identifiers of other types. */
export const afterPosition = (position: string): Filter<UserRecord> => ({
  $expr: { $gt: ['$_id', { $literal: identifierAt(position) }] },
});

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
const addingEvents = (events: readonly QueuedEvent[]): UpdateFilter<UserRecord> =>
  events.length === 0 ? {} : { $push: { events: { $each: toEventRecords(events) } } };

/** The prefix of `email` in documents of no user, as those of removed users with events; no address starts with it. */
export const removedPrefix = 'deleted ';

/** The update that leaves only the events of a removed user in its document. */
export const removal = (version: string, events: readonly QueuedEvent[]): UpdateFilter<UserRecord> => ({
  $set: { email: `${removedPrefix}${version}`, version },
  $unset: members([...fieldNames, 'names', 'expires']),
  ...addingEvents(events),
});

/** A document of events that belong to no user. It is deleted like that of a removed user. */
export const eventsAlone = (version: string, events: readonly QueuedEvent[]) => ({
  _id: version,
  email: `${removedPrefix}${version}`,
  version,
  events: toEventRecords(events),
});

/** Whether the address of a document, which may be damaged, is that of a removed user. */
export const isRemoved = (email: unknown): boolean => typeof email === 'string' && email.startsWith(removedPrefix);

/** The documents of no user, as the index on `email` finds them. Two texts of a damaged list may meet a condition each. */
export const removed = { email: { $gte: removedPrefix, $lt: 'deleted!', $not: { $type: 'array' } } } as const;

/** Those without events. */
export const delivered = { ...removed, events: { $size: 0 } };
