import { randomUUID } from 'node:crypto';
import {
  type CancellationReason,
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import {
  type Listing,
  mostExamined,
  pageOf,
  type UserListing,
  type UserPage,
} from '../../../application/ports/user-listing.ts';
import { type StoredUser, type StorePorts, UserStore } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { followsDoubt } from './client.ts';
import { DynamoDbEventOutbox } from './dynamodb-event-outbox.ts';
import { putsOf } from './event-item.ts';
import { type Item, keyAttribute, keyIn, keyItem, toItem, toStoredUser, versionIn } from './item.ts';
import type { Table } from './table.ts';

/** A refusal tells what is stored instead: it may be the work of an earlier attempt of the same request. */
const tellWhy = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

const ifAbsent = { ConditionExpression: `attribute_not_exists(${keyAttribute})`, ...tellWhy };

const ifVersion = (version: string) => ({
  ConditionExpression: 'version = :version',
  ExpressionAttributeValues: { ':version': { S: version } },
  ...tellWhy,
});

/** DynamoDB takes no empty list of values. */
const valuesOf = (values: Item) => (Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values });

/** What a scan reads for a page: items that are no users are left out, and so is what does not fit. */
const scanOf = ({ limit, after, address, verified }: Listing) => ({
  Limit: address === '' && verified === undefined ? limit : mostExamined,
  ...(after !== undefined && { ExclusiveStartKey: { [keyAttribute]: { S: after } } }),
  FilterExpression: [
    'attribute_exists(address)',
    ...(address === '' ? [] : [`begins_with(${keyAttribute}, :address)`]),
    ...(verified === undefined ? [] : ['verified = :verified']),
  ].join(' AND '),
  ...valuesOf({
    ...(address !== '' && { ':address': { S: address } }),
    ...(verified !== undefined && { ':verified': { BOOL: verified } }),
  }),
});

/** The removal of a user as it was read. */
const removal = (TableName: string, { user, version }: StoredUser) => ({
  TableName,
  Key: keyItem(keyOf(user.email.address)),
  ...ifVersion(version),
});

const failed = (reason: CancellationReason | undefined): boolean => reason?.Code === 'ConditionalCheckFailed';

/** What the refusal of a move means; the reasons come in the order of its items. */
const outcomeOf = ([put, remove]: readonly CancellationReason[], version: string): 'replaced' | 'stale' | 'taken' => {
  if (failed(put) && versionIn(put?.Item) === version) return 'replaced';
  // Before anything is said about the new address: who was overtaken has to be checked again.
  return failed(remove) ? 'stale' : 'taken';
};

/** Nobody can tell any more whether the write was applied before someone else wrote. */
const indeterminate = (): Fault =>
  new Fault(
    'store_unavailable',
    'DynamoDB: a write had no answer, and the user was changed before it could be asked for',
  );

/**
 * Users in one DynamoDB table, an item each. Every operation is one request.
 *
 * The client repeats a request whose answer was lost, and then meets its own work, or what others made of it meanwhile.
 * What begins or ends a user, or gives it another key, is a transaction, which DynamoDB knows again by its token for ten
 * minutes. A change of a user, the most frequent write, is not, because a transaction costs twice as much: it knows its
 * own work by the version, which is new for each write, and tells when it finds something else instead. With events a
 * change is a transaction as well.
 */
export class DynamoDbUserStore extends UserStore implements UserListing {
  constructor(private readonly table: Table) {
    super();
  }

  async find(key: EmailKey): Promise<StoredUser | undefined> {
    // Without a signal: the client works out anew what to do for each command that is sent with one, which takes longer
    // than the rest of the service. A read that nobody waits for any more ends with the attempt at hand.
    const { Item } = await this.table.call(({ client, TableName }) =>
      client.send(new GetItemCommand({ TableName, Key: keyItem(key), ConsistentRead: true })),
    );
    return Item && toStoredUser(Item);
  }

  /**
   * In the order in which DynamoDB keeps its items, which no change of others alters. It can't look for an address:
   * every filter reads the items that do not fit, too, and costs what reading them costs.
   */
  async list(listing: Listing): Promise<UserPage> {
    const { Items = [], LastEvaluatedKey } = await this.table.call(({ client, TableName, options }) =>
      client.send(new ScanCommand({ TableName, ConsistentRead: true, ...scanOf(listing) }), options),
    );
    const found = Items.map((item) => [keyIn(item), toStoredUser(item).user] as const);
    return pageOf(found, listing.limit, LastEvaluatedKey && keyIn(LastEvaluatedKey));
  }

  async insert(user: User, events?: readonly QueuedEvent[]): Promise<'inserted' | 'taken'> {
    const version = randomUUID();
    const itemsOf = (TableName: string) => [{ Put: { TableName, Item: toItem(user, version), ...ifAbsent } }];
    const refused = await this.transact(version, itemsOf, events);
    return refused === undefined || versionIn(refused[0]?.Item) === version ? 'inserted' : 'taken';
  }

  async replace(
    previous: StoredUser,
    next: User,
    events: readonly QueuedEvent[] = [],
  ): Promise<'replaced' | 'stale' | 'taken'> {
    if (keyOf(previous.user.email.address) !== keyOf(next.email.address)) return this.move(previous, next, events);
    return events.length === 0 ? this.rewrite(previous, next) : this.rewriteWith(events, previous, next);
  }

  async remove(previous: StoredUser, events?: readonly QueuedEvent[]): Promise<'removed' | 'stale'> {
    const itemsOf = (TableName: string) => [{ Delete: removal(TableName, previous) }];
    const refused = await this.transact(randomUUID(), itemsOf, events);
    return refused === undefined ? 'removed' : 'stale';
  }

  check(): Promise<string> {
    return this.table.check();
  }

  async close(): Promise<void> {
    this.table.close();
  }

  /** The store with everything that it supports. */
  get ports(): StorePorts {
    return {
      users: this,
      listing: this,
      events: new DynamoDbEventOutbox(this.table),
      attempts: async (limits) => (await import('./dynamodb-attempt-counter.ts')).attemptsBeside(this.table, limits),
    };
  }

  private async rewrite(previous: StoredUser, next: User): Promise<'replaced' | 'stale'> {
    const version = randomUUID();
    const Item = toItem(next, version);
    return this.table.call(async ({ client, TableName, options }) => {
      try {
        await client.send(new PutItemCommand({ TableName, Item, ...ifVersion(previous.version) }), options);
        return 'replaced';
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        if (versionIn(error.Item) === version) return 'replaced';
        if (followsDoubt(error)) throw indeterminate();
        return 'stale';
      }
    });
  }

  private async rewriteWith(
    events: readonly QueuedEvent[],
    previous: StoredUser,
    next: User,
  ): Promise<'replaced' | 'stale'> {
    const version = randomUUID();
    const Item = toItem(next, version);
    const itemsOf = (TableName: string) => [{ Put: { TableName, Item, ...ifVersion(previous.version) } }];
    const refused = await this.transact(version, itemsOf, events);
    return refused === undefined || versionIn(refused[0]?.Item) === version ? 'replaced' : 'stale';
  }

  private async move(
    previous: StoredUser,
    next: User,
    events: readonly QueuedEvent[],
  ): Promise<'replaced' | 'stale' | 'taken'> {
    const version = randomUUID();
    const itemsOf = (TableName: string) => [
      { Put: { TableName, Item: toItem(next, version), ...ifAbsent } },
      { Delete: removal(TableName, previous) },
    ];
    const refused = await this.transact(version, itemsOf, events);
    return refused === undefined ? 'replaced' : outcomeOf(refused, version);
  }

  /**
   * Every item changes, or none. DynamoDB knows a repeated transaction by its token, a text of at most 36 characters.
   * Why a condition was refused, a reason for each item in their order; undefined when it was done. Events come last, and
   * have no condition.
   */
  private transact(
    token: string,
    itemsOf: (TableName: string) => readonly TransactWriteItem[],
    events: readonly QueuedEvent[] = [],
  ): Promise<readonly CancellationReason[] | undefined> {
    if (events.length > 0) this.table.keepEvents();
    return this.table.call(async ({ client, TableName, options }) => {
      const items = [...itemsOf(TableName), ...putsOf(this.table.nameOfEvents, events)];
      const transaction = { TransactItems: items, ClientRequestToken: token };
      try {
        await client.send(new TransactWriteItemsCommand(transaction), options);
        return undefined;
      } catch (error) {
        const reasons = error instanceof TransactionCanceledException ? error.CancellationReasons : undefined;
        if (reasons?.some(failed)) return reasons;
        throw error;
      }
    });
  }
}
