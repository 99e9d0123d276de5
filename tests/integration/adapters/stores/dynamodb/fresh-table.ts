import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  PutItemCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { AdapterContext } from '../../../../../adapters/kit/definition.ts';
import { dynamodb } from '../../../../../adapters/stores/dynamodb/index.ts';
import { formatKey } from '../../../../../adapters/stores/dynamodb/items.ts';
import { currentFormat } from '../../../../../adapters/stores/stored-format.ts';
import type { StorePorts, UserStore } from '../../../../../application/ports/user-store.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';
import { awsCredentials } from '../../../../support/environment.ts';

export const region = 'eu-central-1';

/** `endpoint` is that of a proxy in front of the engine, if any. */
type OpenOptions = { readonly endpoint?: string; readonly createTable?: boolean } & Partial<AdapterContext>;

/** The table of one test, and the stores that were opened on it. */
export class FreshTable {
  readonly name = `users-${randomUUID()}`;
  /** The table of the counts of wrong passwords. */
  readonly countsTableName = `${this.name}-throttle`;
  readonly client: DynamoDBClient;
  private readonly stores: UserStore[] = [];

  constructor(readonly endpoint: string) {
    this.client = new DynamoDBClient({ endpoint, region, credentials: awsCredentials });
  }

  /** Creates the table as documented for operators. */
  static async create(endpoint: string): Promise<FreshTable> {
    const table = new FreshTable(endpoint);
    await table.createForUsers();
    return table;
  }

  /** Creates the table of users, whose items expire by this attribute, if any. */
  async createForUsers({ expires = 'expires' }: { expires?: string | null } = {}): Promise<void> {
    await this.createTable(this.name, 'email');
    if (expires === null) return;
    const TimeToLiveSpecification = { AttributeName: expires, Enabled: true };
    await this.client.send(new UpdateTimeToLiveCommand({ TableName: this.name, TimeToLiveSpecification }));
  }

  /** Creates the table of the attempt counter. */
  async createForCounts(): Promise<void> {
    await this.createTable(this.countsTableName, 'key');
  }

  /** Creates the table of events. */
  async createForEvents(): Promise<this> {
    await this.client.send(
      new CreateTableCommand({
        TableName: `${this.name}-events`,
        KeySchema: [
          { AttributeName: 'destination', KeyType: 'HASH' },
          { AttributeName: 'place', KeyType: 'RANGE' },
        ],
        AttributeDefinitions: [
          { AttributeName: 'destination', AttributeType: 'S' },
          { AttributeName: 'place', AttributeType: 'S' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    return this;
  }

  /** Marks the table as the service does. Events from before the time may expire. */
  async mark(format = currentFormat, time = 0): Promise<void> {
    const numbers = { format: { N: String(format) }, time: { N: String(time) } };
    await this.client.send(
      new PutItemCommand({ TableName: this.name, Item: { ...formatKey, version: { S: 'format' }, ...numbers } }),
    );
  }

  async open(options: OpenOptions = {}): Promise<UserStore> {
    return (await this.openPorts(options)).users;
  }

  /** Opens a store on the table as the service does. */
  async openPorts({ endpoint = this.endpoint, createTable = false, ...others }: OpenOptions = {}): Promise<StorePorts> {
    const configuration = { endpoint, region, tableName: this.name, eventsTableName: null, createTable };
    const store = await dynamodb.open(configuration, { ...silentContext, ...others });
    this.stores.push(store.users);
    return store;
  }

  /** Closes every store and removes the table. */
  async dispose(): Promise<void> {
    await Promise.all(this.stores.map((store) => store.close()));
    for (const TableName of [this.name, this.countsTableName, `${this.name}-events`]) {
      // Not every test creates every table.
      await this.client.send(new DeleteTableCommand({ TableName })).catch(() => undefined);
    }
    this.client.destroy();
  }

  private async createTable(TableName: string, key: string): Promise<void> {
    await this.client.send(
      new CreateTableCommand({
        TableName,
        KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
  }
}
