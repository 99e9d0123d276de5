import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  GetItemCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import { withAbortTimeout } from '../../aws/aws-client.ts';
import { unexpectedResponse } from '../../aws/errors.ts';
import { checkTimeoutMs } from '../../kit/definition.ts';
import { faultOf, mayBeRepeated } from './errors.ts';
import { eventKey, eventsTable } from './event-item.ts';
import { keyAttribute as keyOfUsers } from './item.ts';

/** What a call of the client needs: the table's name, and the signal that ends it. */
export interface Call {
  readonly TableName: string;
  readonly client: DynamoDBClient;
  readonly options: { readonly abortSignal: AbortSignal };
}

export interface TableOptions {
  readonly tableName: string;
  /** The name of the table of events, which is there only where events are kept. */
  readonly eventsTableName: string;
  /** Where the table is, in words for operators. */
  readonly place: string;
  /** Whether to create the table when it is missing. */
  readonly createTable: boolean;
  /** How long one call may take with all its attempts, in milliseconds. */
  readonly patience: number;
  /** The partition key, whose type is S; that of users unless it is given. */
  readonly keyAttribute?: string;
  /** The attribute that holds when an item expires, in seconds since the epoch; without it none does. */
  readonly expiryAttribute?: string;
}

const repetitions = 5;
const longestPause = 200;
const pauseForTable = 250;

/** The table and its client: bounds every call in time, and turns what the client throws into Faults. */
export class Table {
  private creation: Promise<void> | undefined;
  /** Whether the table was missing when it was asked for last, and is being created. */
  private awaited = false;
  private withEvents = false;

  constructor(
    private readonly client: DynamoDBClient,
    private readonly options: TableOptions,
    private readonly log: Log,
  ) {}

  /**
   * What `work` resolves with. It is repeated when others were at an item, and once a missing table is there, so that
   * it must name the same version and the same token each time. Throws a Fault.
   */
  async call<Result>(work: (call: Call) => Promise<Result>, patience = this.options.patience): Promise<Result> {
    try {
      return await withAbortTimeout(patience, (signal) => this.attempt(work, signal));
    } catch (error) {
      const fault = faultOf(this.place, error, this.keyAttribute);
      if (!this.awaited || fault.code !== 'store_unavailable') throw fault;
      throw new Fault(fault.code, `${this.place}: the table is being created, and is not there yet`);
    }
  }

  /** Another table, with the same client and times. */
  beside(suffix: string, layout: Required<Pick<TableOptions, 'keyAttribute' | 'expiryAttribute'>>): Table {
    const { tableName, place } = this.options;
    const name = `${tableName}${suffix}`;
    return new Table(
      this.client,
      { ...this.options, ...layout, tableName: name, place: place.replace(tableName, () => name) },
      this.log,
    );
  }

  /** What `work` resolves with, as soon as a health check needs it: sooner than another call. Throws a Fault. */
  checked<Result>(work: (call: Call) => Promise<Result>): Promise<Result> {
    return this.call(work, Math.min(checkTimeoutMs, this.options.patience));
  }

  get name(): string {
    return this.options.tableName;
  }

  get nameOfEvents(): string {
    return this.options.eventsTableName;
  }

  /** Where the tables are, in words for operators. */
  get place(): string {
    const { place, eventsTableName } = this.options;
    return this.withEvents ? `${place}, with events in ${eventsTableName} (keys destination and place, S)` : place;
  }

  /**
   * Resolves when users can be read and written. It needs no permission that the service can do without, and writes
   * nothing: its conditions never hold, and no user has its key.
   */
  async check(): Promise<string> {
    await this.checked((call) => this.probe(call));
    return `${this.place} is read and written`;
  }

  /** From now on the table of events is needed, too. */
  keepEvents(): void {
    this.withEvents = true;
  }

  close(): void {
    this.client.destroy();
  }

  private async probe({ client, TableName, options }: Call): Promise<void> {
    const email = { S: `check ${randomUUID()}` };
    const other = { S: `${email.S} too` };
    const never = `attribute_exists(${keyOfUsers}) AND attribute_not_exists(${keyOfUsers})`;
    const Put = { TableName, Item: { email }, ConditionExpression: never };
    const Delete = { TableName, Key: { email: other }, ConditionExpression: never };
    const event = {
      TableName: this.nameOfEvents,
      Key: eventKey('check', email.S),
      ConditionExpression: 'attribute_exists(due) AND attribute_not_exists(due)',
    };
    const ofEvents = this.withEvents ? [{ Delete: event }] : [];
    await client.send(new GetItemCommand({ TableName, Key: { email }, ConsistentRead: true }), options);
    try {
      await client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put }, { Delete }, ...ofEvents] }), options);
    } catch (error) {
      const codes = error instanceof TransactionCanceledException ? error.CancellationReasons : undefined;
      if (codes?.every(({ Code }) => Code === 'ConditionalCheckFailed')) return;
      throw error;
    }
    // Anything may answer with 200, and only DynamoDB refuses what can't be.
    throw new Fault('store_rejected', `${this.place}: ${unexpectedResponse('DynamoDB')}`);
  }

  private async attempt<Result>(work: (call: Call) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const call = { TableName: this.options.tableName, client: this.client, options: { abortSignal: signal } };
    for (let repeated = 0; ; ) {
      try {
        const result = await work(call);
        if (this.awaited) await this.finish(call);
        return result;
      } catch (error) {
        // A read has no signal, and may end after its caller.
        if (signal.aborted) throw error;
        if (this.options.createTable && error instanceof ResourceNotFoundException) {
          this.awaited = true;
          await this.create();
          await pause(pauseForTable, undefined, { signal });
        } else if (mayBeRepeated(error) && repeated < repetitions) {
          repeated++;
          await pause(Math.random() * Math.min(longestPause, 10 * 2 ** repeated), undefined, { signal });
        } else throw error;
      }
    }
  }

  private get keyAttribute(): string {
    return this.options.keyAttribute ?? keyOfUsers;
  }

  /** What can be asked for when a table is there that was missing. */
  private async finish({ client, TableName, options }: Call): Promise<void> {
    this.awaited = false;
    const { expiryAttribute, place } = this.options;
    if (expiryAttribute === undefined) return;
    const TimeToLiveSpecification = { AttributeName: expiryAttribute, Enabled: true };
    try {
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }), options);
    } catch (error) {
      // Another instance may have been first. Without it nothing is wrong but the size of the table.
      if (!(error instanceof Error && error.name === 'ValidationException'))
        this.log.warn({ table: place, attribute: expiryAttribute }, 'the expiry of the items could not be switched on');
    }
  }

  /** Asks for the table, once for all who miss it now. It is usable some seconds later. */
  private create(): Promise<void> {
    this.creation ??= this.requestTables().finally(() => {
      this.creation = undefined;
    });
    return this.creation;
  }

  private async requestTables(): Promise<void> {
    const { tableName, eventsTableName } = this.options;
    await this.request(keyedTable(tableName, this.keyAttribute));
    if (this.withEvents) await this.request(eventsTable(eventsTableName));
  }

  private async request(table: CreateTableCommandInput): Promise<void> {
    try {
      await this.client.send(new CreateTableCommand(table));
      this.log.info({ table: this.place }, 'the missing table is being created');
    } catch (error) {
      // Another instance was first, or the table is there, or being created still.
      if (!(error instanceof ResourceInUseException)) throw error;
    }
  }
}

/** What a table is made of whose items have one key. */
const keyedTable = (TableName: string, key: string): CreateTableCommandInput => ({
  TableName,
  KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
  AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
  BillingMode: 'PAY_PER_REQUEST',
});
