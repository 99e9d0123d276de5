import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { Reservation, StoredUser } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { fieldOf, userFields } from '../../../domain/user-fields.ts';
import { isUserName, type UserKey, type UserName } from '../../../domain/user-name.ts';
import { isReserved, reservedValuesOf } from '../../kit/user-json/reserved-record.ts';
import { storedUser } from '../../kit/user-json/stored-user.ts';
import type { EventValues } from '../stored-event.ts';
import { reservationExpiryMs, reservedFields } from '../stored-format.ts';

/** An item as DynamoDB has it: each value under the letter of its type. */
export type Item = Record<string, AttributeValue>;

/** The partition key of the table of users, of type S. */
export const keyAttribute = 'email';

/** The attribute with the expiry of a reservation, in seconds since the epoch. No user has it. */
export const expiryAttribute = 'expires';

/**
 * The prefix of keys that are no addresses: of the entries of names, of the format, and of health checks. It keeps them
 * out of listings, also of former versions; no address contains a space.
 */
export const hiddenPrefix = 'check ';

/** The key of the item that marks the table with a format. */
export const formatKey: Item = { [keyAttribute]: { S: `${hiddenPrefix}format` } };

/** The key of the item of a user, or of the entry of a name. */
export const keyItem = (key: UserKey): Item => ({
  [keyAttribute]: { S: isUserName(key) ? `${hiddenPrefix}${key}` : key },
});

/** The entry of a name, with the address of the user who has it, and the version of the write that took it. */
export const toEntry = (name: UserName, holder: EmailKey, version: string): Item => ({
  ...keyItem(name),
  holder: { S: holder },
  version: { S: version },
});

const toAttribute = (value: string | number | boolean | null): AttributeValue => {
  if (value === null) return { NULL: true };
  if (typeof value === 'boolean') return { BOOL: value };
  return typeof value === 'number' ? { N: String(value) } : { S: value };
};

/** The number in an attribute; NaN without one. */
export const numberIn = (item: Item, name: string): number => Number(item[name]?.N);

/** The value of an attribute; undefined for a type that no field of a user has. */
const fromAttribute = ({ S, N, BOOL, NULL }: AttributeValue): unknown => {
  if (NULL === true) return null;
  if (N === undefined) return S ?? BOOL;
  const number = Number(N);
  return Number.isSafeInteger(number) ? number : undefined;
};

/** The item of a user. An optional field without a value has no attribute; the properties stay one text. */
export const toItem = (user: User, version: string, names: readonly UserName[]): Item => {
  const item: Item = { ...keyItem(keyOf(user.email.address)), version: { S: version } };
  for (const field of userFields) {
    const value = fieldOf(user, field);
    if (value !== undefined) item[field.name] = toAttribute(value);
  }
  if (names.length > 0) item.names = { L: names.map((S) => ({ S })) };
  return item;
};

/**
 * The user in an item; undefined if it only reserves its address. Throws the Fault `store_rejected` that names it if the
 * item is damaged.
 */
export const toStoredUser = (item: Item): StoredUser | undefined => {
  const values = userFields.map(({ name, presence }) => {
    const attribute = item[name];
    if (attribute === undefined) return presence === 'optional' ? null : undefined;
    return fromAttribute(attribute);
  });
  const names = item.names && (item.names.L?.map(fromAttribute) ?? [undefined]);
  return storedUser(keyOfItem(item), versionIn(item), values, names);
};

/** The item that keeps a key free. For an address it is a user with an empty password, as former versions expect it. */
export const toReservation = ({ key, version }: Reservation, now: number): Item => {
  const expiry = Math.ceil((now + reservationExpiryMs) / 1_000);
  const item: Item = { ...keyItem(key), version: { S: version }, [expiryAttribute]: { N: String(expiry) } };
  if (isUserName(key)) return item;
  for (const [name, value] of Object.entries(reservedFields(key, now))) item[name] = toAttribute(value);
  return item;
};

/** The condition of a reservation. `orphan` is the version of an entry that no user has. */
export const ifNoUser = (key: UserKey, orphan = '') => {
  if (isUserName(key))
    return {
      ConditionExpression: 'attribute_not_exists(holder) OR version = :orphan',
      ExpressionAttributeValues: { ':orphan': { S: orphan } },
    };
  const reserved = Object.entries(reservedValuesOf(key));
  return {
    ConditionExpression: `attribute_not_exists(${keyAttribute}) OR ${reserved.map(([name]) => `${name} = :${name}`).join(' AND ')}`,
    ExpressionAttributeValues: Object.fromEntries(reserved.map(([name, value]) => [`:${name}`, toAttribute(value)])),
  };
};

/** The reservation in the item of a key; undefined if a user has the key. */
export const reservationIn = (key: UserKey, item: Item = {}): Reservation | undefined => {
  const version = versionIn(item);
  const values = Object.fromEntries(Object.entries(item).map(([name, value]) => [name, fromAttribute(value)]));
  const isFree = isUserName(key) ? item.holder === undefined : isReserved(key, values);
  return isFree && version !== undefined ? { key, version } : undefined;
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

/** The first place of a time. Places sort by time as long as milliseconds have at most fifteen digits. */
const placesFrom = (time: number): string => String(Math.max(0, time)).padStart(15, '0');

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

/** The values of an item of the table of events. */
export const toEvent = (item: Item): EventValues => {
  const attribute = (name: string): unknown => item[name] && fromAttribute(item[name]);
  return {
    destination: destinationIn(item),
    id: attribute('id'),
    time: attribute('time'),
    body: attribute('body'),
    due: attribute('due'),
    attempts: attribute('attempts'),
    receipt: placeIn(item),
  };
};

/** The query for the oldest events of a destination before a time, in milliseconds since the epoch. */
export const oldestQuery = (destination: string, before: number, Limit: number) => ({
  KeyConditionExpression: `${partitionKey} = :destination AND ${sortKey} < :before`,
  ExpressionAttributeValues: { ':destination': { S: destination }, ':before': { S: placesFrom(before) } },
  Limit,
});

/** The query for the events of a destination. It names both keys, so that DynamoDB refuses it for a table with others. */
export const destinationQuery = (destination: string) => ({
  KeyConditionExpression: `${partitionKey} = :destination AND ${sortKey} < :last`,
  ConsistentRead: true,
  ExpressionAttributeValues: { ':destination': { S: destination }, ':last': { S: lastPlace } },
});
