import { randomUUID } from 'node:crypto';
import {
  GetItemCommand,
  ScanCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import { unexpectedResponse } from '../../aws/errors.ts';
import { Once } from '../../concurrency/shared-call.ts';
import { eventKey, hiddenPrefix, type Item, keyAttribute, versionIn } from './items.ts';
import type { Call, Table } from './table.ts';

/**
 * Throws a Fault unless users, and events where they are configured, can be read and written. Needs only permissions that
 * the service needs anyway, and writes nothing: its conditions never hold, and no user has its key.
 */
const probe = async (table: Table, { client, TableName, options }: Call): Promise<void> => {
  const email = { S: `${hiddenPrefix}${randomUUID()}` };
  const other = { S: `${email.S} too` };
  const neverHolds = `attribute_exists(${keyAttribute}) AND attribute_not_exists(${keyAttribute})`;
  const Put = { TableName, Item: { email }, ConditionExpression: neverHolds };
  const Delete = { TableName, Key: { email: other }, ConditionExpression: neverHolds };
  const event = {
    TableName: table.nameOfEvents,
    Key: eventKey('check', email.S),
    ConditionExpression: 'attribute_exists(due) AND attribute_not_exists(due)',
  };
  const ofEvents = table.hasEvents ? [{ Delete: event }] : [];
  await client.send(new GetItemCommand({ TableName, Key: { email }, ConsistentRead: true }), options);
  try {
    await client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put }, { Delete }, ...ofEvents] }), options);
  } catch (error) {
    const reasons = error instanceof TransactionCanceledException ? error.CancellationReasons : undefined;
    if (reasons?.every(({ Code }) => Code === 'ConditionalCheckFailed')) return;
    throw error;
  }
  // Any server can respond with 200, but only DynamoDB refuses these conditions.
  throw new Fault('store_rejected', `${table.place}: ${unexpectedResponse('DynamoDB')}`);
};

/** How many items are read to find out whether a table holds users, and how many if the first ones are none. */
const sampleSize = 5;
const largeSampleSize = 1_000;

/** A few items with their versions; undefined without the permission to scan, which only listings need. */
const sampleOf = async ({ client, TableName, options }: Call, Limit: number): Promise<readonly Item[] | undefined> => {
  const sample = new ScanCommand({ TableName, Limit, ProjectionExpression: `${keyAttribute}, version` });
  try {
    return (await client.send(sample, options)).Items ?? [];
  } catch (error) {
    if (error instanceof Error && error.name === 'AccessDeniedException') return undefined;
    throw error;
  }
};

/** Throws a Fault for a table with the items of another program. */
const refuseForeignItems = async (table: Table): Promise<void> => {
  for (const limit of [sampleSize, largeSampleSize]) {
    const sample = (await table.callForCheck((call) => sampleOf(call, limit))) ?? [];
    if (sample.length === 0 || sample.some((item) => versionIn(item) !== undefined)) return;
  }
  const reason = 'its items are no users of Latchkey; write the name of another table';
  throw new Fault('store_rejected', `${table.place}: ${reason}`);
};

/** Finds out for operators whether a table holds users, and whether they can be read and written. */
export class TableCheck {
  /** Whether a check has found that the table holds no items of another program. */
  private isInspected = false;
  /** Asked once, because DynamoDB limits these requests. */
  private readonly expiry = new Once(() => this.table.describeExpiry());

  constructor(private readonly table: Table) {}

  /** Throws a Fault if the table cannot be used. */
  async run(): Promise<string> {
    const { table } = this;
    await table.callForCheck((call) => probe(table, call));
    if (!this.isInspected) await refuseForeignItems(table);
    this.isInspected = true;
    await table.callForCheck(async () => table.format?.check());
    const remarks = [table.format?.describe(), await this.expiry.get()].filter((remark) => remark !== undefined);
    return [`${table.place} is read and written`, ...remarks].join('; ');
  }
}
