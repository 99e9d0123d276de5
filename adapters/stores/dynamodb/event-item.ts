import type { CreateTableCommandInput, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { Fault } from '../../../application/fault.ts';
import type { ClaimedEvent, QueuedEvent } from '../../../application/ports/event-outbox.ts';
import { type Item, wholeNumber } from './item.ts';

/** The keys of the table of events: who gets an event, and its place in the order of time. */
export const partitionKey = 'destination';
export const sortKey = 'place';

/** What the table of events is made of. */
export const eventsTable = (TableName: string): CreateTableCommandInput => ({
  TableName,
  KeySchema: [
    { AttributeName: partitionKey, KeyType: 'HASH' },
    { AttributeName: sortKey, KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: partitionKey, AttributeType: 'S' },
    { AttributeName: sortKey, AttributeType: 'S' },
  ],
  BillingMode: 'PAY_PER_REQUEST',
});

/** Where the places of a time begin. They sort by time, for as long as milliseconds have fifteen digits. */
export const placesFrom = (time: number): string => String(Math.max(0, time)).padStart(15, '0');

/** Comes after every place. */
export const lastPlace = '\u{10FFFF}';

const placeOf = ({ time, id }: QueuedEvent): string => `${placesFrom(time)} ${id}`;

/** What names the item of an event. */
export const eventKey = (destination: string, place: string): Item => ({
  [partitionKey]: { S: destination },
  [sortKey]: { S: place },
});

/** A part of the key of an item, which DynamoDB lets no item be without. */
const keyPart = (item: Item, name: typeof partitionKey | typeof sortKey): string => {
  const value = item[name]?.S;
  if (value === undefined) throw new Fault('store_rejected', 'DynamoDB: an item of the table of events has no key');
  return value;
};

export const destinationIn = (item: Item): string => keyPart(item, partitionKey);

export const placeIn = (item: Item): string => keyPart(item, sortKey);

const toItem = (event: QueuedEvent): Item => ({
  ...eventKey(event.destination, placeOf(event)),
  id: { S: event.id },
  time: { N: String(event.time) },
  body: { S: event.body },
  due: { N: String(event.time) },
  attempts: { N: '0' },
});

/** The items of events, for the transaction of their change. */
export const putsOf = (TableName: string, events: readonly QueuedEvent[]): readonly TransactWriteItem[] =>
  events.map((event) => ({ Put: { TableName, Item: toItem(event) } }));

const storedEvent = t.type({
  destination: t.type({ S: t.string }),
  place: t.type({ S: t.string }),
  id: t.type({ S: t.string }),
  time: t.type({ N: wholeNumber }),
  body: t.type({ S: t.string }),
  attempts: t.type({ N: wholeNumber }),
});

/** The event in an item as it was read; throws a Fault `store_rejected` when somebody else's program wrote it. */
export const toEvent = (item: Item): ClaimedEvent => {
  const decoded = storedEvent.decode(item);
  if (isLeft(decoded)) throw new Fault('store_rejected', 'DynamoDB: an item of the table of events is no event');
  const { destination, place, id, time, body, attempts } = decoded.right;
  return { destination: destination.S, id: id.S, time: time.N, body: body.S, attempts: attempts.N, receipt: place.S };
};
