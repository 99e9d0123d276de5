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
import type { AttemptCounter, AttemptLimits } from '../../../application/ports/attempt-counter.ts';
import { unexpectedResponse } from '../../aws/errors.ts';
import { type LimiterOptions, type LimiterStorage, RateLimitedAttempts } from '../../kit/rate-limited-attempts.ts';
import type { Call, Table } from './table.ts';

/** The attributes of an item are those of RateLimiterDynamo. */
const keyAttribute = 'key';
const expiryAttribute = 'expire';

/** How often a count is tried that expired, or was forgotten, in the very moment. */
const attempts = 4;

/** What a refused condition is to the limiter: it tries its other condition then. Every other error is the table's to tell. */
const conditionally =
  <Result>(send: (call: Call) => Promise<Result>) =>
  async (call: Call): Promise<Result | ConditionalCheckFailedException> => {
    try {
      return await send(call);
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return error;
      throw error;
    }
  };

/** The calls of a limiter, made at a table. It expects the client that has a method for each. */
const clientOf = (table: Table) => ({
  getItem: (input: GetItemInput) =>
    table.call(({ client, options }) => client.send(new GetItemCommand({ ...input, ConsistentRead: true }), options)),
  updateItem: async (input: UpdateItemInput) => {
    const outcome = await table.call(
      conditionally(({ client, options }) => client.send(new UpdateItemCommand({ ...input }), options)),
    );
    if (outcome instanceof ConditionalCheckFailedException) throw outcome;
    return outcome;
  },
  // Without its condition that there is something to remove.
  deleteItem: ({ TableName, Key }: DeleteItemInput) =>
    table.call(({ client, options }) => client.send(new DeleteItemCommand({ TableName, Key }), options)),
});

const probe = async ({ client, TableName, options }: Call): Promise<boolean> => {
  const Key = { [keyAttribute]: { S: `check ${randomUUID()}` } };
  const ConditionExpression = `attribute_exists(${expiryAttribute})`;
  await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }), options);
  const touch = new UpdateItemCommand({ TableName, Key, ConditionExpression });
  return (await conditionally(() => client.send(touch, options))({ client, TableName, options })) instanceof Error;
};

/** Counts in a table of their own. */
class Counts implements LimiterStorage {
  constructor(private readonly table: Table) {}

  limiter(options: LimiterOptions): RateLimiterDynamo {
    const { table } = this;
    // The table makes itself, where it may.
    return new RateLimiterDynamo({
      ...options,
      storeClient: clientOf(table),
      tableName: table.name,
      tableCreated: true,
      ttlSet: true,
    });
  }

  async call<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        if (attempt === attempts) throw new Fault('store_unavailable', `${this.table.place}: a count keeps changing`);
      }
    }
  }

  async check(): Promise<string> {
    const { table } = this;
    if (!(await table.checked(probe)))
      throw new Fault('store_rejected', `${table.place}: ${unexpectedResponse('DynamoDB')}`);
    return `wrong passwords are counted in ${table.name}`;
  }

  /** The client is that of the users. */
  async close(): Promise<void> {}
}

/** Failed attempts beside the users of a table, in one that has its name and a suffix. */
export const attemptsBeside = (users: Table, limits: AttemptLimits): AttemptCounter =>
  new RateLimitedAttempts(new Counts(users.beside('-throttle', { keyAttribute, expiryAttribute })), limits);
