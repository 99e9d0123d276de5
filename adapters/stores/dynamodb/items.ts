import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { Fault } from '../../../application/fault.ts';
import type { QueuedEvent, WaitingEvent } from '../../../application/ports/event-outbox.ts';
import type { StoredUser } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import { fieldOf, type User, userFields } from '../../../domain/user.ts';
import { assembleUser, hasFormat, UnreadableUser } from '../../kit/stored-user.ts';
import type { TableLayout } from './table-creation.ts';

/** An item in DynamoDB's own form: each value under the letter of its type. */
export type Item = Record<string, AttributeValue>;

/** The partition key of the table of users, of type S. */
export const keyAttribute = 'email';

export const keyItem = (key: EmailKey): Item => ({ [keyAttribute]: { S: key } });

/**
 * A number as DynamoDB sends it, as text. The service writes only whole numbers within 2^53, so that none is rounded.
 */
export const wholeNumber = new t.Type<number, string, unknown>(
  'whole number',
  t.number.is,
  (value, context) => {
    const read = typeof value === 'string' ? Number(value) : Number.NaN;
    return Number.isSafeInteger(read) ? t.success(read) : t.failure(value, context);
  },
  String,
);

const toAttribute = (value: string | number | boolean | null): AttributeValue => {
  if (value === null) return { NULL: true };
  if (typeof value === 'boolean') return { BOOL: value };
  return typeof value === 'number' ? { N: String(value) } : { S: value };
};

/** The value of an attribute; undefined for a type that no field of a user has. */
const fromAttribute = ({ S, N, BOOL, NULL }: AttributeValue): unknown => {
  if (NULL === true) return null;
  if (N === undefined) return S ?? BOOL;
  const number = Number(N);
  return Number.isSafeInteger(number) ? number : undefined;
};

/** The item of a user. An optional field without a value has no attribute; the properties stay one text. */
export const toItem = (user: User, version: string): Item => {
  const item: Item = { ...keyItem(keyOf(user.email.address)), version: { S: version } };
  for (const field of userFields) {
    const value = fieldOf(user, field);
    if (value !== undefined) item[field.name] = toAttribute(value);
  }
  return item;
};

/** The user in an item; throws a Fault `store_rejected` when another program wrote it. */
export const toStoredUser = (item: Item): StoredUser => {
  const version = versionIn(item);
  const values = userFields.map(({ name, kind, presence }) => {
    const attribute = item[name];
    if (attribute === undefined) return presence === 'optional' ? null : undefined;
    const value = fromAttribute(attribute);
    return hasFormat(kind, value) ? value : undefined;
  });
  try {
    if (version !== undefined) return { version, user: assembleUser(values) };
  } catch (error) {
    if (!(error instanceof UnreadableUser)) throw error;
  }
  throw new Fault('store_rejected', 'DynamoDB: an item of the table is not a user');
};

/** The version in an item; undefined without an item, or for one of another program. */
export const versionIn = (item: Item | undefined): string | undefined => item?.version?.S;

/** The key in an item, which DynamoDB guarantees. */
export const keyOfItem = (item: Item): string => {
  const key = item[keyAttribute]?.S;
  if (key === undefined) throw new Fault('store_rejected', 'DynamoDB: an item has no key');
  return key;
};

/** The keys of the table of events: the destination of an event, and its place in the order of time. */
export const partitionKey = 'destination';
export const sortKey = 'place';

export const eventsLayout: TableLayout = { partitionKey, sortKey };

/** The first place of a time. Places sort by time as long as milliseconds have at most fifteen digits. */
export const placesFrom = (time: number): string => String(Math.max(0, time)).padStart(15, '0');

/** Sorts after every place. */
export const lastPlace = '\u{10FFFF}';

const placeOf = ({ time, id }: QueuedEvent): string => `${placesFrom(time)} ${id}`;

/** The key of the item of an event. */
export const eventKey = (destination: string, place: string): Item => ({
  [partitionKey]: { S: destination },
  [sortKey]: { S: place },
});

/** A part of the key of an item, which DynamoDB guarantees. */
const keyPart = (item: Item, name: typeof partitionKey | typeof sortKey): string => {
  const value = item[name]?.S;
  if (value === undefined) throw new Fault('store_rejected', 'DynamoDB: an item of the table of events has no key');
  return value;
};

export const destinationIn = (item: Item): string => keyPart(item, partitionKey);

export const placeIn = (item: Item): string => keyPart(item, sortKey);

const toEventItem = (event: QueuedEvent): Item => ({
  ...eventKey(event.destination, placeOf(event)),
  id: { S: event.id },
  time: { N: String(event.time) },
  body: { S: event.body },
  due: { N: String(event.time) },
  attempts: { N: '0' },
});

/** The items of events, for the transaction of their change. */
export const putsOf = (TableName: string, events: readonly QueuedEvent[]): readonly TransactWriteItem[] =>
  events.map((event) => ({ Put: { TableName, Item: toEventItem(event) } }));

const storedEvent = t.type({
  destination: t.type({ S: t.string }),
  place: t.type({ S: t.string }),
  id: t.type({ S: t.string }),
  time: t.type({ N: wholeNumber }),
  body: t.type({ S: t.string }),
  due: t.type({ N: wholeNumber }),
  attempts: t.type({ N: wholeNumber }),
});

/** The event in an item; throws a Fault `store_rejected` when another program wrote it. */
export const toEvent = (item: Item): WaitingEvent => {
  const decoded = storedEvent.decode(item);
  if (isLeft(decoded)) throw new Fault('store_rejected', 'DynamoDB: an item of the table of events is no event');
  const { destination, place, id, time, body, due, attempts } = decoded.right;
  return {
    destination: destination.S,
    id: id.S,
    time: time.N,
    body: body.S,
    due: due.N,
    attempts: attempts.N,
    receipt: place.S,
  };
};
