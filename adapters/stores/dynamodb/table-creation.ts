import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import { type MarkContext, StoredFormat } from '../stored-format.ts';
import { formatKey, numberIn, partitionKey, sortKey } from './items.ts';

/** The layout of a table: its partition key, and its sort key if it has one, of type S. */
export interface TableLayout {
  readonly partitionKey: string;
  readonly sortKey?: string;
  /** The attribute with the expiry of an item, in seconds since the epoch; without it items do not expire. */
  readonly expiryAttribute?: string;
}

/** The layout of the table of events. */
export const eventsLayout: TableLayout = { partitionKey, sortKey };

/** The input that creates a table, billed by request. */
export const creationOf = (TableName: string, layout: TableLayout): CreateTableCommandInput => {
  const keys = [layout.partitionKey, ...(layout.sortKey === undefined ? [] : [layout.sortKey])];
  return {
    TableName,
    KeySchema: keys.map((AttributeName) => ({
      AttributeName,
      KeyType: AttributeName === layout.partitionKey ? 'HASH' : 'RANGE',
    })),
    AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    BillingMode: 'PAY_PER_REQUEST',
  };
};

/** Creates missing tables. They are usable some seconds later. */
export class TableCreation {
  private requested: Promise<void> | undefined;

  /** `place` names the location of the tables in messages. */
  constructor(
    private readonly client: DynamoDBClient,
    private readonly log: Log,
    private readonly place: () => string,
  ) {}

  /** Requests tables, once for all callers that find them missing at the same time. */
  request(tables: readonly CreateTableCommandInput[]): Promise<void> {
    this.requested ??= this.requestAll(tables).finally(() => {
      this.requested = undefined;
    });
    return this.requested;
  }

  /** Enables the expiry of items, which is possible only once the table exists. */
  async enableExpiry(TableName: string, AttributeName: string, abortSignal: AbortSignal): Promise<void> {
    const TimeToLiveSpecification = { AttributeName, Enabled: true };
    try {
      await this.client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }), { abortSignal });
    } catch (error) {
      // ValidationException: another instance has enabled it. Without expiry the table only grows.
      if (!(error instanceof Error && error.name === 'ValidationException'))
        this.log.warn({ table: this.place(), attribute: AttributeName }, 'the expiry of items could not be enabled');
    }
  }

  /** What an operator has to do so that items expire; undefined if nothing. Enables it where tables are created. */
  async describeExpiry(
    TableName: string,
    attribute: string,
    { createTable, readOnly }: { readonly createTable: boolean; readonly readOnly?: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const used = await this.expiryOf(TableName, attribute, signal);
    if (used === attribute) return undefined;
    // DynamoDB does not replace the attribute.
    if (used !== undefined)
      return `disable Time to Live with the attribute ${used}, and enable it with ${attribute}, so that reservations end`;
    if (!createTable) return `enable Time to Live with the attribute ${attribute}, so that reservations end`;
    if (!readOnly) await this.enableExpiry(TableName, attribute, signal);
    return undefined;
  }

  /** The attribute by which items expire, if any; `assumed` if it cannot be found out, as without the permission to ask. */
  private async expiryOf(TableName: string, assumed: string, abortSignal: AbortSignal): Promise<string | undefined> {
    try {
      const { TimeToLiveDescription: expiry } = await this.client.send(new DescribeTimeToLiveCommand({ TableName }), {
        abortSignal,
      });
      const isEnabled = expiry?.TimeToLiveStatus === 'ENABLED' || expiry?.TimeToLiveStatus === 'ENABLING';
      return isEnabled ? expiry.AttributeName : undefined;
    } catch {
      return assumed;
    }
  }

  /** Throws a Fault if a table of users, which was there before, is missing. */
  async refuseIfDeleted(TableName: string, abortSignal: AbortSignal): Promise<void> {
    try {
      await this.client.send(new GetItemCommand({ TableName, Key: formatKey }), { abortSignal });
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
      const remedy = 'restore it, or restart the service, which creates an empty one';
      throw new Fault('store_rejected', `${this.place()}: the table was deleted; ${remedy}`);
    }
  }

  private async requestAll(tables: readonly CreateTableCommandInput[]): Promise<void> {
    for (const table of tables) {
      try {
        await this.client.send(new CreateTableCommand(table));
        this.log.info({ table: this.place() }, 'the missing table is being created');
      } catch (error) {
        // The table exists, or is being created by another instance.
        if (!(error instanceof ResourceInUseException)) throw error;
      }
    }
  }
}

interface MarkedTable extends MarkContext {
  readonly tableName: string;
  /** Where the table is, for operators. */
  readonly place: string;
}

/** The format of the items of a table, which an item of its own says. */
export const storedFormatOf = (
  client: DynamoDBClient,
  { tableName: TableName, ...options }: MarkedTable,
): StoredFormat =>
  new StoredFormat({
    ...options,
    read: async () => {
      const { Item } = await client.send(new GetItemCommand({ TableName, Key: formatKey, ConsistentRead: true }));
      return Item && { format: numberIn(Item, 'format'), time: numberIn(Item, 'time') };
    },
    write: async ({ format, time }) => {
      const numbers = { format: { N: String(format) }, time: { N: String(time) } };
      const command = new PutItemCommand({
        TableName,
        Item: { ...formatKey, version: { S: 'format' }, ...numbers },
        ConditionExpression: 'attribute_not_exists(#format) OR #format < :format',
        ExpressionAttributeNames: { '#format': 'format' },
        ExpressionAttributeValues: { ':format': numbers.format },
      });
      try {
        await client.send(command);
      } catch (error) {
        // Another process has marked the table meanwhile.
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },
  });
