import { randomUUID } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DeleteItemInput,
  GetItemCommand,
  type GetItemInput,
  UpdateItemCommand,
  type UpdateItemInput,
} from '@aws-sdk/client-dynamodb';
import { RateLimiterDynamo } from 'rate-limiter-flexible';
import { Fault } from '../../../application/fault.ts';
import { withTimeout } from '../../../application/interceptor.ts';
import type { AttemptCounter, AttemptLimits } from '../../../application/ports/attempt-counter.ts';
import { unexpectedResponse } from '../../aws/errors.ts';
import { type LimiterOptions, type LimiterStorage, RateLimitedAttempts } from '../rate-limited-attempts.ts';
import type { Call, Table } from './table.ts';

/** The attribute names of RateLimiterDynamo. */
const keyAttribute = 'key';
const expiryAttribute = 'expire';

/** Attempts to write a count while it expires or is reset at the same time. */
const maxAttempts = 4;

/**
 * Returns the error of a failed condition instead of throwing it, so that the table does not map it to a Fault: the
 * limiter then tries another condition.
 */
const returningFailedCondition =
  <Result>(send: (call: Call) => Promise<Result>) =>
  async (call: Call): Promise<Result | ConditionalCheckFailedException> => {
    try {
      return await send(call);
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return error;
      throw error;
    }
  };

/** The client that a limiter expects, with a method for each command. */
const clientFor = (table: Table) => ({
  getItem: (input: GetItemInput) =>
    table.call(({ client, options }) => client.send(new GetItemCommand({ ...input, ConsistentRead: true }), options)),
  updateItem: async (input: UpdateItemInput) => {
    const outcome = await table.call(
      returningFailedCondition(({ client, options }) => client.send(new UpdateItemCommand({ ...input }), options)),
    );
    if (outcome instanceof ConditionalCheckFailedException) throw outcome;
    return outcome;
  },
  // Drops the limiter's condition that the item exists.
  deleteItem: ({ TableName, Key }: DeleteItemInput) =>
    table.call(({ client, options }) => client.send(new DeleteItemCommand({ TableName, Key }), options)),
});

/** Whether the table can be read, and refuses a write whose condition does not hold. */
const probe = async ({ client, TableName, options }: Call): Promise<boolean> => {
  const Key = { [keyAttribute]: { S: `check ${randomUUID()}` } };
  const ConditionExpression = `attribute_exists(${expiryAttribute})`;
  await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }), options);
  const update = new UpdateItemCommand({ TableName, Key, ConditionExpression });
  const send = returningFailedCondition(() => client.send(update, options));
  return (await send({ client, TableName, options })) instanceof Error;
};

/** Stores the counts in a separate table. */
class DynamoDbLimiterStorage implements LimiterStorage {
  constructor(private readonly table: Table) {}

  limiter(options: LimiterOptions): RateLimiterDynamo {
    const { table } = this;
    // The first call creates the table if that is configured.
    return new RateLimiterDynamo({
      ...options,
      storeClient: clientFor(table),
      tableName: table.name,
      tableCreated: true,
      ttlSet: true,
    });
  }

  /** One timeout for all: the limiter tries another condition after every error, also after a timeout. */
  call<Result>(work: () => Promise<Result>): Promise<Result> {
    const { place, timeoutMs } = this.table;
    const onTimeout = () => new Fault('store_unavailable', `${place}: no response within ${timeoutMs} ms`);
    return withTimeout(timeoutMs, this.repeat(work), onTimeout);
  }

  async check(): Promise<string> {
    const { table } = this;
    if (!(await table.callForCheck(probe)))
      throw new Fault('store_rejected', `${table.place}: ${unexpectedResponse('DynamoDB')}`);
    return `wrong passwords are counted in ${table.name}`;
  }

  /** The store of the users closes the client. */
  async close(): Promise<void> {}

  private async repeat<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        if (attempt === maxAttempts)
          throw new Fault('store_unavailable', `${this.table.place}: a count keeps changing`);
      }
    }
  }
}

/** The counter of wrong passwords for a table of users, in a table with its name and a suffix. */
export const openAttemptCounter = (users: Table, limits: AttemptLimits): AttemptCounter => {
  const table = users.sibling('-throttle', { partitionKey: keyAttribute, expiryAttribute });
  return new RateLimitedAttempts(new DynamoDbLimiterStorage(table), limits);
};
