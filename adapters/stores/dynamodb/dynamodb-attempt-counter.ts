import { randomUUID } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import { withTimeout } from '../../../application/interceptor.ts';
import type { AttemptCounter, AttemptLimits } from '../../../application/ports/attempt-counter.ts';
import { unexpectedResponse } from '../../aws/errors.ts';
import type { FailureCount } from '../../concurrency/failure-counts.ts';
import { systemClock } from '../../kit/system-clock.ts';
import { type CountStorage, StoredAttempts, type StoredCount } from '../stored-attempts.ts';
import { numberIn } from './items.ts';
import type { Call, Table } from './table.ts';

const keyAttribute = 'key';
const expiryAttribute = 'expire';

/** Attempts to write a count while it expires or is reset at the same time. */
const maxAttempts = 4;

/**
 * Returns the error of a failed condition instead of throwing it, so that the table does not map it to a Fault:
 * another condition is tried then.
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
class DynamoDbCounts implements CountStorage {
  constructor(private readonly table: Table) {}

  async get(key: string): Promise<StoredCount | undefined> {
    const Key = { [keyAttribute]: { S: key } };
    const { Item } = await this.table.call(({ client, TableName, options }) =>
      client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }), options),
    );
    return Item && { failures: numberIn(Item, 'points'), end: numberIn(Item, expiryAttribute) * 1_000 };
  }

  async add(key: string, now: number, end: number): Promise<unknown> {
    const values = { ':now': now / 1_000, ':one': 1 };
    try {
      const isOver = 'expire <= :now OR attribute_not_exists(points)';
      return await this.update(key, 'SET points = :one, expire = :end', { ...values, ':end': end / 1_000 }, isOver);
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return this.update(key, 'SET points = points + :one', values, 'expire > :now');
    }
  }

  set(key: string, { failures, end }: FailureCount): Promise<unknown> {
    return this.update(key, 'SET points = :points, expire = :end', { ':points': failures, ':end': end / 1_000 });
  }

  delete(key: string): Promise<unknown> {
    const Key = { [keyAttribute]: { S: key } };
    return this.table.call(({ client, TableName, options }) =>
      client.send(new DeleteItemCommand({ TableName, Key }), options),
    );
  }

  /** One timeout for all conditions that are tried. */
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

  /** The number of failures after an update. Throws the error of a failed condition. */
  private async update(
    key: string,
    UpdateExpression: string,
    values: Readonly<Record<string, number>>,
    ConditionExpression?: string,
  ): Promise<number> {
    const input = {
      Key: { [keyAttribute]: { S: key } },
      UpdateExpression,
      ConditionExpression,
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, { N: String(value) }]),
      ),
      ReturnValues: 'UPDATED_NEW',
    } as const;
    const outcome = await this.table.call(
      returningFailedCondition(({ client, TableName, options }) =>
        client.send(new UpdateItemCommand({ TableName, ...input }), options),
      ),
    );
    if (outcome instanceof ConditionalCheckFailedException) throw outcome;
    return numberIn(outcome.Attributes ?? {}, 'points');
  }

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
export const openAttemptCounter = (users: Table, limits: AttemptLimits, clock = systemClock): AttemptCounter => {
  const table = users.sibling('-throttle', { partitionKey: keyAttribute, expiryAttribute });
  return new StoredAttempts(new DynamoDbCounts(table), limits, clock);
};
