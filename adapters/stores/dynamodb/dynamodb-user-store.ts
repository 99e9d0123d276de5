import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import { type StoredUser, type StorePorts, UserStore } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { followsUncertainAttempt } from './dynamodb-client.ts';
import { DynamoDbEventOutbox } from './dynamodb-event-outbox.ts';
import { DynamoDbUserListing } from './dynamodb-user-listing.ts';
import { keyAttribute, keyItem, toItem, toStoredUser, versionIn } from './items.ts';
import type { Table } from './table.ts';
import { TableCheck } from './table-check.ts';
import { isFailedCondition, type TransactionRefusal, transact } from './transaction.ts';

/**
 * Returns the stored item with a failed condition, because an earlier attempt of the same request may have written it.
 */
const returnStored = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

const ifAbsent = { ConditionExpression: `attribute_not_exists(${keyAttribute})`, ...returnStored };

const ifVersion = (version: string) => ({
  ConditionExpression: 'version = :version',
  ExpressionAttributeValues: { ':version': { S: version } },
  ...returnStored,
});

/** The deletion of a user, conditional on its version. */
const removal = (TableName: string, { user, version }: StoredUser) => ({
  TableName,
  Key: keyItem(keyOf(user.email.address)),
  ...ifVersion(version),
});

/** The Fault for an unknown outcome, with the reason why the store cannot tell whether a write was or will be applied. */
const indeterminate = (reason: string): Fault =>
  new Fault('store_unavailable', `DynamoDB: the reply to a write was lost, and ${reason}`);

/**
 * `taken`, unless an earlier attempt may still be under way, which would be applied once the address is free again. It
 * cannot be applied after `stale`, because versions are unique.
 */
const takenBy = ({ mayBeApplied }: TransactionRefusal): 'taken' => {
  if (mayBeApplied) throw indeterminate('the address belongs to another user');
  return 'taken';
};

/** Whether a refused transaction found what its earlier attempt had written. */
const isApplied = ({ reasons: [put] }: TransactionRefusal, version: string): boolean =>
  versionIn(put?.Item) === version;

/**
 * Users in one DynamoDB table, one item each. Every operation is one request.
 *
 * The client repeats a request whose response was lost, and may then find the result of its earlier attempt, or of
 * other writes since. Creating, removing and moving a user are therefore transactions, which DynamoDB identifies by a
 * token for ten minutes. Changing a user, the most frequent write, is a plain write, because a transaction costs twice
 * as much. It recognizes its earlier attempt by the version, which is unique for each write, and reports an unknown
 * outcome as `store_unavailable`. A change with events is a transaction, too.
 */
export class DynamoDbUserStore extends UserStore {
  private readonly health: TableCheck;

  constructor(private readonly table: Table) {
    super();
    this.health = new TableCheck(table);
  }

  async find(key: EmailKey): Promise<StoredUser | undefined> {
    // Without a signal, because for a command with one the client resolves its middleware anew, which takes longer than
    // the rest of the service. After the timeout the read ends with its current attempt.
    const { Item } = await this.table.call(({ client, TableName }) =>
      client.send(new GetItemCommand({ TableName, Key: keyItem(key), ConsistentRead: true })),
    );
    return Item && toStoredUser(Item);
  }

  async insert(user: User, events?: readonly QueuedEvent[]): Promise<StoredUser | 'taken'> {
    const version = randomUUID();
    const itemsOf = (TableName: string) => [{ Put: { TableName, Item: toItem(user, version), ...ifAbsent } }];
    const refused = await transact(this.table, version, itemsOf, events);
    if (refused === undefined || isApplied(refused, version)) return { user, version };
    return takenBy(refused);
  }

  async replace(
    previous: StoredUser,
    next: User,
    events: readonly QueuedEvent[] = [],
  ): Promise<StoredUser | 'stale' | 'taken'> {
    const isMoved = keyOf(previous.user.email.address) !== keyOf(next.email.address);
    if (!isMoved && events.length === 0) return this.rewrite(previous, next);
    return this.replaceTogether(previous, next, events, isMoved);
  }

  async remove(previous: StoredUser, events?: readonly QueuedEvent[]): Promise<'removed' | 'stale'> {
    const itemsOf = (TableName: string) => [{ Delete: removal(TableName, previous) }];
    const refused = await transact(this.table, randomUUID(), itemsOf, events);
    return refused === undefined ? 'removed' : 'stale';
  }

  check(): Promise<string> {
    return this.health.run();
  }

  async close(): Promise<void> {
    this.table.close();
  }

  get ports(): StorePorts {
    return {
      users: this,
      listing: new DynamoDbUserListing(this.table),
      events: new DynamoDbEventOutbox(this.table),
      attempts: async (limits) =>
        (await import('./dynamodb-attempt-counter.ts')).openAttemptCounter(this.table, limits),
    };
  }

  private async rewrite(previous: StoredUser, next: User): Promise<StoredUser | 'stale'> {
    const version = randomUUID();
    const Item = toItem(next, version);
    return this.table.call(async ({ client, TableName, options }) => {
      try {
        await client.send(new PutItemCommand({ TableName, Item, ...ifVersion(previous.version) }), options);
        return { user: next, version };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        if (versionIn(error.Item) === version) return { user: next, version };
        if (followsUncertainAttempt(error)) throw indeterminate('another write has changed the user since');
        return 'stale';
      }
    });
  }

  private async replaceTogether(
    previous: StoredUser,
    next: User,
    events: readonly QueuedEvent[],
    isMoved: boolean,
  ): Promise<StoredUser | 'stale' | 'taken'> {
    const version = randomUUID();
    const Item = toItem(next, version);
    const itemsOf = (TableName: string) =>
      isMoved
        ? [{ Put: { TableName, Item, ...ifAbsent } }, { Delete: removal(TableName, previous) }]
        : [{ Put: { TableName, Item, ...ifVersion(previous.version) } }];
    const refused = await transact(this.table, version, itemsOf, events);
    if (refused === undefined || isApplied(refused, version)) return { user: next, version };
    // `stale` takes precedence over `taken`, because the caller must check a changed user again.
    return isFailedCondition(refused.reasons[isMoved ? 1 : 0]) ? 'stale' : takenBy(refused);
  }
}
