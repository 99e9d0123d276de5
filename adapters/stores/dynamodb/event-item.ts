import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { Fault } from '../../../application/fault.ts';
import type { ClaimedEvent, QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { TableLayout } from './table-creation.ts';
import { type Item, wholeNumber } from './user-item.ts';

/** The keys of the table of events: its destination, and its place in the order of time. */
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

/** The event in an item; throws a Fault `store_rejected` when another program wrote it. */
export const toEvent = (item: Item): ClaimedEvent => {
  const decoded = storedEvent.decode(item);
  if (isLeft(decoded)) throw new Fault('store_rejected', 'DynamoDB: an item of the table of events is no event');
  const { destination, place, id, time, body, attempts } = decoded.right;
  return { destination: destination.S, id: id.S, time: time.N, body: body.S, attempts: attempts.N, receipt: place.S };
};
