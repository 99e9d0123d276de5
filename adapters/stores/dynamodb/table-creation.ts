import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { Log } from '../../../application/ports/log.ts';

/** The layout of a table: its partition key, and its sort key if it has one, of type S. */
export interface TableLayout {
  readonly partitionKey: string;
  readonly sortKey?: string;
  /** The attribute with the expiry of an item, in seconds since the epoch; without it items do not expire. */
  readonly expiryAttribute?: string;
}

/** The input that creates a table, billed by request. */
export const creationOf = (TableName: string, { partitionKey, sortKey }: TableLayout): CreateTableCommandInput => {
  const keys = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  return {
    TableName,
    KeySchema: keys.map((AttributeName) => ({
      AttributeName,
      KeyType: AttributeName === partitionKey ? 'HASH' : 'RANGE',
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
