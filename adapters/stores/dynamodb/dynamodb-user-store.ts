import { randomUUID } from 'node:crypto';
import {
  type CancellationReason,
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import { type StoredUser, UserStore } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { followsDoubt } from './client.ts';
import { keyAttribute, keyItem, toItem, toStoredUser, versionIn } from './item.ts';
import type { Call, Table } from './table.ts';

/** A refusal tells what is stored instead: it may be the work of an earlier attempt of the same request. */
const tellWhy = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

const ifAbsent = { ConditionExpression: `attribute_not_exists(${keyAttribute})`, ...tellWhy };

const ifVersion = (version: string) => ({
  ConditionExpression: 'version = :version',
  ExpressionAttributeValues: { ':version': { S: version } },
  ...tellWhy,
});

/** The removal of a user as it was read. */
const removal = (TableName: string, { user, version }: StoredUser) => ({
  TableName,
  Key: keyItem(keyOf(user.email.address)),
  ...ifVersion(version),
});

type Condition = typeof ifAbsent | ReturnType<typeof ifVersion>;
type Refusal = ConditionalCheckFailedException;

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
 * The client repeats a request whose answer was lost, and then meets its own work. A write that stored something knows
 * it by the version, which is new for each write. A removal leaves nothing behind to know it by, so that it is a
 * transaction, whose token DynamoDB remembers for ten minutes.
 */
export class DynamoDbUserStore extends UserStore {
  constructor(private readonly table: Table) {
    super();
  }

  async find(key: EmailKey): Promise<StoredUser | undefined> {
    const { Item } = await this.table.call(({ client, TableName, options }) =>
      client.send(new GetItemCommand({ TableName, Key: keyItem(key), ConsistentRead: true }), options),
    );
    return Item && toStoredUser(Item);
  }

  async insert(user: User): Promise<'inserted' | 'taken'> {
    const version = randomUUID();
    const refused = await this.put(user, version, ifAbsent);
    return refused === undefined || versionIn(refused.Item) === version ? 'inserted' : 'taken';
  }

  async replace(previous: StoredUser, next: User): Promise<'replaced' | 'stale' | 'taken'> {
    if (keyOf(previous.user.email.address) !== keyOf(next.email.address)) return this.move(previous, next);
    const version = randomUUID();
    const refused = await this.put(next, version, ifVersion(previous.version));
    if (refused === undefined || versionIn(refused.Item) === version) return 'replaced';
    if (refused.Item !== undefined && followsDoubt(refused)) throw indeterminate();
    return 'stale';
  }

  async remove(previous: StoredUser): Promise<'removed' | 'stale'> {
    const refused = await this.transact(randomUUID(), (TableName) => [{ Delete: removal(TableName, previous) }]);
    return refused === undefined ? 'removed' : 'stale';
  }

  check(): Promise<string> {
    return this.table.check();
  }

  async close(): Promise<void> {
    this.table.close();
  }

  private async move(previous: StoredUser, next: User): Promise<'replaced' | 'stale' | 'taken'> {
    const version = randomUUID();
    const refused = await this.transact(version, (TableName) => [
      { Put: { TableName, Item: toItem(next, version), ...ifAbsent } },
      { Delete: removal(TableName, previous) },
    ]);
    return refused === undefined ? 'replaced' : outcomeOf(refused, version);
  }

  /**
   * Every item changes, or none. DynamoDB knows a repeated transaction by its token, a text of at most 36 characters.
   * Why a condition was refused, a reason for each item; undefined when it was done.
   */
  private transact(
    token: string,
    itemsOf: (TableName: string) => TransactWriteItem[],
  ): Promise<readonly CancellationReason[] | undefined> {
    return this.table.call(async ({ client, TableName, options }) => {
      const transaction = { TransactItems: itemsOf(TableName), ClientRequestToken: token };
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

  private put(user: User, version: string, condition: Condition): Promise<Refusal | undefined> {
    const Item = toItem(user, version);
    return this.refusalOf(({ client, TableName, options }) =>
      client.send(new PutItemCommand({ TableName, Item, ...condition }), options),
    );
  }

  /** Why a conditional write was refused; undefined when it was done. */
  private refusalOf(write: (call: Call) => Promise<unknown>): Promise<Refusal | undefined> {
    return this.table.call(async (call) => {
      try {
        await write(call);
        return undefined;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return error;
        throw error;
      }
    });
  }
}
