import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import { withAbortTimeout } from '../../aws/aws-client.ts';
import { Once } from '../../concurrency/shared-call.ts';
import type { WorkQueue } from '../../concurrency/work-queue.ts';
import { checkTimeoutMs, MissingDatabase } from '../../kit/definition.ts';
import { StoredEvents } from '../stored-event.ts';
import type { MarkContext, StoredFormat } from '../stored-format.ts';
import { isRepeatable, toFault } from './errors.ts';
import { expiryAttribute, keyAttribute as keyOfUsers } from './items.ts';
import { creationOf, eventsLayout, storedFormatOf, TableCreation, type TableLayout } from './table-creation.ts';

/** The input of a call: the name of the table, the client, and the signal that aborts the call. */
export interface Call {
  readonly TableName: string;
  readonly client: DynamoDBClient;
  readonly options: { readonly abortSignal: AbortSignal };
}

type Work<Result> = (call: Call) => Promise<Result>;
type Run<Result> = (signal: AbortSignal) => Promise<Result>;

interface TableOptions extends MarkContext {
  readonly tableName: string;
  /** The name of the table of events, which exists only where events are configured. */
  readonly eventsTableName: string;
  /** Where the table is, for operators. */
  readonly place: string;
  /** Whether to create a missing table. */
  readonly createTable: boolean;
  /** The timeout of a call with all its attempts. */
  readonly timeoutMs: number;
  /** Shared by the tables of a client. */
  readonly calls: WorkQueue;
  /** The layout of the table of users by default. */
  readonly layout?: TableLayout;
}

const maxRepetitions = 5;
const maxRepetitionDelayMs = 200;
const creationPollMs = 250;

/** A table and its client. Every call has a timeout, and errors of the client become Faults. */
export class Table {
  private readonly creation: TableCreation;
  private readonly layout: TableLayout;
  readonly storedEvents: StoredEvents;
  /** Whether the last call found the table missing and requested its creation. */
  private isBeingCreated = false;
  /** Whether a call has used the table of users. It is not created again then: an empty one would look like no users. */
  private hasUsers = false;
  /** Whether checks and creations include the table of events. */
  private withEvents = false;
  /** Undefined for tables of other things than users. */
  readonly format: StoredFormat | undefined;
  private readonly marked = new Once(() => this.call(async () => this.format?.check()));

  constructor(
    private readonly client: DynamoDBClient,
    private readonly options: TableOptions,
    private readonly log: Log,
  ) {
    this.storedEvents = new StoredEvents(log);
    this.layout = options.layout ?? { partitionKey: keyOfUsers, expiryAttribute };
    this.creation = new TableCreation(client, log, () => this.place);
    if (options.layout === undefined) this.format = storedFormatOf(client, options);
  }

  /**
   * Runs `work`, and repeats it after conflicts with other writes and once a missing table exists. Each run must
   * therefore write the same version and use the same token. Throws a Fault.
   */
  call<Result>(work: Work<Result>, usesUsers = true): Promise<Result> {
    const { timeoutMs, calls } = this.options;
    const run = (signal: AbortSignal): Promise<Result> =>
      calls.run(async () => {
        // The caller may have given up while the call waited.
        signal.throwIfAborted();
        return this.repeat(work, signal, usesUsers);
      });
    return this.callWithin(timeoutMs, run, usesUsers);
  }

  /** The same for work that uses only the table of events. */
  callForEvents<Result>(work: Work<Result>): Promise<Result> {
    return this.call(work, false);
  }

  /** Runs `work` without queueing, within the timeout of a health check. Throws a Fault. */
  callForCheck<Result>(work: Work<Result>): Promise<Result> {
    return this.callWithin(Math.min(checkTimeoutMs, this.timeoutMs), (signal) => this.repeat(work, signal, true));
  }

  /** Resolves once the table has its mark, without which former versions would drop the names of users. */
  markFormat(): Promise<void> {
    return this.marked.get();
  }

  /** What an operator has to do so that items expire; undefined if nothing. Enables it if the service creates tables. */
  describeExpiry(): Promise<string | undefined> {
    const { expiryAttribute: attribute } = this.layout;
    return this.callForCheck(
      async ({ TableName, options: { abortSignal } }) =>
        attribute && this.creation.describeExpiry(TableName, attribute, this.options, abortSignal),
    );
  }

  /** Another table, with this name and a suffix, the same client and the same timeouts. */
  sibling(suffix: string, layout: TableLayout): Table {
    const { tableName, place } = this.options;
    const name = `${tableName}${suffix}`;
    const options = { ...this.options, layout, tableName: name, place: place.replace(tableName, () => name) };
    return new Table(this.client, options, this.log);
  }

  get name(): string {
    return this.options.tableName;
  }

  /** Timeout of a call, in milliseconds. */
  get timeoutMs(): number {
    return this.options.timeoutMs;
  }

  get nameOfEvents(): string {
    return this.options.eventsTableName;
  }

  /** Whether the table of events is in use. */
  get hasEvents(): boolean {
    return this.withEvents;
  }

  /** Where the tables are, for operators. */
  get place(): string {
    const { place, eventsTableName } = this.options;
    return this.withEvents ? `${place}, with events in ${eventsTableName} (keys destination and place, S)` : place;
  }

  /** Makes checks and creations include the table of events from now on. */
  includeEvents(): void {
    this.withEvents = true;
  }

  close(): void {
    this.client.destroy();
  }

  private async callWithin<Result>(timeoutMs: number, run: Run<Result>, usesUsers = true): Promise<Result> {
    this.format?.throwIfNewer();
    try {
      return await withAbortTimeout(timeoutMs, run);
    } catch (error) {
      const ofEvents = this.withEvents || !usesUsers ? [eventsLayout] : [];
      const fault = toFault(this.place, error, usesUsers ? [this.layout, ...ofEvents] : ofEvents);
      if (!this.isBeingCreated || fault.code !== 'store_unavailable') throw fault;
      throw new Fault(fault.code, `${this.place}: the table is being created and does not exist yet`);
    }
  }

  private async repeat<Result>(work: Work<Result>, signal: AbortSignal, usesUsers: boolean): Promise<Result> {
    const call = { TableName: this.name, client: this.client, options: { abortSignal: signal } };
    for (let repetitions = 0; ; ) {
      try {
        const result = await work(call);
        if (this.isBeingCreated) await this.onCreated(signal);
        if (usesUsers) this.hasUsers = this.format !== undefined;
        return result;
      } catch (error) {
        // A read has no signal, and may end after its caller has given up.
        if (signal.aborted) throw error;
        if (this.options.createTable && error instanceof ResourceNotFoundException) {
          if (this.options.readOnly) throw new MissingDatabase(this.place, true);
          if (this.hasUsers) await this.creation.refuseIfDeleted(this.name, signal);
          this.isBeingCreated = true;
          const users = this.hasUsers ? [] : [creationOf(this.name, this.layout)];
          const events = this.withEvents ? [creationOf(this.nameOfEvents, eventsLayout)] : [];
          await this.creation.request([...users, ...events]);
          await sleep(creationPollMs, undefined, { signal });
        } else if (isRepeatable(error) && repetitions < maxRepetitions) {
          repetitions++;
          const maxDelayMs = Math.min(maxRepetitionDelayMs, 10 * 2 ** repetitions);
          await sleep(Math.random() * maxDelayMs, undefined, { signal });
        } else throw error;
      }
    }
  }

  private async onCreated(signal: AbortSignal): Promise<void> {
    this.isBeingCreated = false;
    const { expiryAttribute } = this.layout;
    if (expiryAttribute !== undefined) await this.creation.enableExpiry(this.name, expiryAttribute, signal);
  }
}
