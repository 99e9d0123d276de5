import { randomUUID } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  TransactionCanceledException,
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

type Condition = typeof ifAbsent | ReturnType<typeof ifVersion>;
type Refusal = ConditionalCheckFailedException;

/** What a cancelled move means; the reasons come in the order of its items. Undefined when no condition failed. */
const outcomeOf = (
  error: TransactionCanceledException,
  version: string,
): 'replaced' | 'stale' | 'taken' | undefined => {
  const [put, remove] = error.CancellationReasons ?? [];
  const isTaken = put?.Code === 'ConditionalCheckFailed';
  if (isTaken && versionIn(put.Item) === version) return 'replaced';
  // Before anything is said about the new address: who was overtaken has to be checked again.
  if (remove?.Code === 'ConditionalCheckFailed') return 'stale';
  return isTaken ? 'taken' : undefined;
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
 * it by the version, which is new for each write. A removal leaves nothing behind: see `remove`.
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

  /**
   * When an attempt had no answer and the next one finds nothing, the user was removed by the first, or by someone
   * else who was faster; either way it is gone, as was asked, so that this is a success. When it finds another user,
   * nothing is known: removing that one could be a second removal.
   */
  async remove({ user, version }: StoredUser): Promise<'removed' | 'stale'> {
    const Key = keyItem(keyOf(user.email.address));
    const refused = await this.refusalOf(({ client, TableName, options }) =>
      client.send(new DeleteItemCommand({ TableName, Key, ...ifVersion(version) }), options),
    );
    if (refused === undefined) return 'removed';
    if (!followsDoubt(refused)) return 'stale';
    if (refused.Item !== undefined) throw indeterminate();
    return 'removed';
  }

  check(): Promise<string> {
    return this.table.check();
  }

  async close(): Promise<void> {
    this.table.close();
  }

  /** Both items change, or none. The version serves as the token by which DynamoDB knows a repeated transaction. */
  private move({ user, version }: StoredUser, next: User): Promise<'replaced' | 'stale' | 'taken'> {
    const nextVersion = randomUUID();
    return this.table.call(async ({ client, TableName, options }) => {
      const Put = { TableName, Item: toItem(next, nextVersion), ...ifAbsent };
      const Delete = { TableName, Key: keyItem(keyOf(user.email.address)), ...ifVersion(version) };
      const TransactItems = [{ Put }, { Delete }];
      try {
        await client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: nextVersion }), options);
        return 'replaced';
      } catch (error) {
        const outcome = error instanceof TransactionCanceledException ? outcomeOf(error, nextVersion) : undefined;
        if (outcome === undefined) throw error;
        return outcome;
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
