import { randomUUID } from 'node:crypto';
import {
  DeleteItemCommand,
  QueryCommand,
  type QueryCommandInput,
  ResourceNotFoundException,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  type ClaimedEvent,
  EventOutbox,
  type Lease,
  type QueuedEvent,
  type WaitingEvents,
} from '../../../application/ports/event-outbox.ts';
import {
  destinationIn,
  destinationQuery,
  eventKey,
  type Item,
  lastPlace,
  oldestQuery,
  partitionKey,
  placeIn,
  toEvent,
} from './items.ts';
import type { Call, Table } from './table.ts';
import { conditionHeld, transact } from './transaction.ts';

/** A claim reads so many events first; delayed ones come before others, so that it then reads whole pages of 1 MB. */
const firstPageSize = 64;
const maxReadMs = 1_000;

/** Events in a second table, sorted by time for each destination. */
export class DynamoDbEventOutbox extends EventOutbox {
  /** Where the next claim of a destination continues. */
  private readonly positions = new Map<string, Item | undefined>();

  constructor(private readonly store: Table) {
    super();
  }

  /** From the first call on, the health check includes the table of events. */
  private get table(): Table {
    this.store.includeEvents();
    return this.store;
  }

  /** A transaction, because its token keeps a repeated request from storing an event again after its delivery. */
  async add(events: readonly QueuedEvent[]): Promise<void> {
    if (events.length > 0) await transact(this.store, randomUUID(), [], events);
  }

  async claim(destination: string, limit: number, lease: Lease): Promise<readonly ClaimedEvent[]> {
    const due = await this.table.callForEvents((call) => this.due(call, destination, limit, lease));
    const claimed = await Promise.all(due.map((event) => this.take(event, lease.until)));
    return claimed.filter((event) => event !== undefined);
  }

  async done({ destination, receipt }: ClaimedEvent): Promise<void> {
    await this.delete(destination, receipt);
  }

  async postpone(event: ClaimedEvent, due: number): Promise<void> {
    await this.update(event, due, 0);
  }

  pending(destination: string, most: number): Promise<number> {
    return this.table.callForEvents(async (call) => {
      let count = 0;
      const counting = { ...destinationQuery(destination), Select: 'COUNT', Limit: most } as const;
      for (let from: Item | undefined, first = true; (first || from !== undefined) && count < most; first = false) {
        const { Count = 0, LastEvaluatedKey } = await this.query(call, counting, from);
        count += Count;
        from = LastEvaluatedKey;
      }
      return count;
    });
  }

  list(destination: string, limit: number, after?: string): Promise<WaitingEvents> {
    return this.table.callForEvents(async (call) => {
      const page = { ...destinationQuery(destination), Limit: limit };
      const from = after === undefined ? undefined : eventKey(destination, after);
      const { Items = [], LastEvaluatedKey } = await this.query(call, page, from);
      return {
        events: this.store.storedEvents.decode(Items.map(toEvent)),
        next: LastEvaluatedKey && placeIn(LastEvaluatedKey),
      };
    });
  }

  /** Costs a small read for each destination. None if the table is missing, which this does not create. */
  async destinations(): Promise<readonly string[]> {
    const found: string[] = [];
    for (;;) {
      const next = await this.destinationAfter(found.at(-1));
      if (next === undefined) return found;
      found.push(next);
    }
  }

  /** Costs two small reads for each destination, for its name and its oldest events, regardless of the number of events. */
  async expire(before: number, limit: number): Promise<ReadonlyMap<string, number>> {
    const removed = new Map<string, number>();
    if (!(await this.store.call(async () => this.store.format?.mayExpire(before)))) return removed;
    let left = limit;
    this.store.includeEvents();
    for (const destination of await this.destinations()) {
      const oldest = oldestQuery(destination, before, left);
      const { Items = [] } = await this.table.callForEvents((call) => this.query(call, oldest));
      const deleted = await Promise.all(Items.map((item) => this.delete(destination, placeIn(item))));
      const count = deleted.filter(Boolean).length;
      if (count > 0) removed.set(destination, count);
      left -= Items.length;
      if (left <= 0) break;
    }
    return removed;
  }

  /**
   * The first destination of the table, or the one after `destination`: a scan of one item that starts after every
   * possible item of `destination` (https://aws.amazon.com/blogs/database/generate-a-distinct-set-of-partition-keys-for-an-amazon-dynamodb-table-efficiently/).
   */
  private destinationAfter(destination: string | undefined): Promise<string | undefined> {
    return this.store.callForEvents(async ({ client, options }) => {
      const start = destination === undefined ? {} : { ExclusiveStartKey: eventKey(destination, lastPlace) };
      const first = { TableName: this.store.nameOfEvents, Limit: 1, ...start };
      const { Items = [] } = await client.send(new ScanCommand(first), options).catch((error: unknown) => {
        if (error instanceof ResourceNotFoundException && !this.store.hasEvents) return { Items: [] };
        throw error;
      });
      return Items[0] && destinationIn(Items[0]);
    });
  }

  /** Returns whether the event still existed: the condition lets only one of several concurrent deletions succeed. */
  private delete(destination: string, place: string): Promise<boolean> {
    return this.table.callForEvents(async ({ client, options }) => {
      const command = new DeleteItemCommand({
        TableName: this.table.nameOfEvents,
        Key: eventKey(destination, place),
        ConditionExpression: `attribute_exists(${partitionKey})`,
      });
      return conditionHeld(client.send(command, options));
    });
  }

  /** Due events. Delayed ones can fill many pages: reads for a bounded time, and once from the oldest event at the end. */
  private async due(call: Call, destination: string, limit: number, lease: Lease): Promise<readonly ClaimedEvent[]> {
    const { ExpressionAttributeValues, ...base } = destinationQuery(destination);
    const values = { ...ExpressionAttributeValues, ':now': { N: String(lease.now) } };
    const ScanIndexForward = lease.newestFirst !== true;
    const query = { ...base, ScanIndexForward, FilterExpression: 'due <= :now', ExpressionAttributeValues: values };
    const found = new Map<string, ClaimedEvent>();
    const end = performance.now() + maxReadMs;
    let from = ScanIndexForward ? this.positions.get(destination) : undefined;
    let Limit: number | undefined = Math.max(firstPageSize, limit);
    for (let startsLeft = from === undefined ? 0 : 1; ; ) {
      const { Items = [], LastEvaluatedKey } = await this.query(call, { ...query, Limit }, from);
      for (const event of this.store.storedEvents.decode(Items.map(toEvent))) found.set(event.receipt, event);
      // The rest of a page with too many events is read again.
      if (found.size <= limit) from = LastEvaluatedKey;
      if (ScanIndexForward) this.positions.set(destination, from);
      if (found.size >= limit || performance.now() > end) break;
      if (from === undefined && startsLeft-- === 0) break;
      Limit = undefined;
    }
    return [...found.values()].slice(0, limit);
  }

  private query({ client, options }: Call, input: Omit<QueryCommandInput, 'TableName'>, from?: Item) {
    const TableName = this.table.nameOfEvents;
    return client.send(new QueryCommand({ TableName, ...input, ...(from && { ExclusiveStartKey: from }) }), options);
  }

  /** Claims an event and counts the attempt; undefined if another process claimed it first. */
  private async take(event: ClaimedEvent, until: number): Promise<ClaimedEvent | undefined> {
    return (await this.update(event, until, 1)) ? { ...event, attempts: event.attempts + 1 } : undefined;
  }

  /** Sets when an event is due, unless another process has claimed it since it was read. */
  private update({ destination, receipt, attempts }: ClaimedEvent, due: number, more: 0 | 1): Promise<boolean> {
    return this.table.callForEvents(async ({ client, options }) => {
      const command = new UpdateItemCommand({
        TableName: this.table.nameOfEvents,
        Key: eventKey(destination, receipt),
        UpdateExpression: 'SET due = :due, attempts = :next',
        ConditionExpression: 'attempts = :attempts',
        ExpressionAttributeValues: {
          ':due': { N: String(due) },
          ':attempts': { N: String(attempts) },
          ':next': { N: String(attempts + more) },
        },
      });
      return conditionHeld(client.send(command, options));
    });
  }
}
