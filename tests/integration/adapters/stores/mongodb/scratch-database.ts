import { randomUUID } from 'node:crypto';
import { type Document, MongoClient } from 'mongodb';
import { mongodb } from '../../../../../adapters/stores/mongodb/index.ts';
import { formatMark } from '../../../../../adapters/stores/mongodb/user-collection.ts';
import type { UserRecord } from '../../../../../adapters/stores/mongodb/user-record.ts';
import { currentFormat } from '../../../../../adapters/stores/stored-format.ts';
import type { Log } from '../../../../../application/ports/log.ts';
import type { StoredUser, StorePorts, UserStore } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf } from '../../../../../sdk/contract/arbitraries.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';

/**
 * The driver opens two connections at a time: on a busy machine a burst of calls would wait for one of 64 longer than calls
 * may wait.
 */
const withFewConnections = (uri: string): string => `${uri}${uri.includes('?') ? '&' : '?'}maxPoolSize=16`;

/** A database of one suite on a server, and the stores that were opened on it. */
export class ScratchDatabase {
  readonly databaseName = `test-${randomUUID()}`;
  readonly collectionName = 'users';
  /** A client of the test's own, for a look behind the store. */
  readonly client: MongoClient;
  private readonly stores: UserStore[] = [];

  constructor(
    private readonly connectionString: string,
    private readonly keepsNames = false,
  ) {
    this.client = new MongoClient(connectionString, { serverSelectionTimeoutMS: 5_000 });
  }

  get users() {
    return this.client.db(this.databaseName).collection<Document>(this.collectionName);
  }

  /** The block of the configuration that names this database. */
  get block() {
    const { connectionString, databaseName, collectionName } = this;
    return { connectionString, databaseName, collectionName };
  }

  async open(connectionString?: string, operationTimeoutMs?: number, log?: Log): Promise<UserStore> {
    return (await this.openPorts(connectionString, operationTimeoutMs, log)).users;
  }

  /** Opens a store as the service does, through another connection string when one is given. */
  async openPorts(
    connectionString = withFewConnections(this.connectionString),
    operationTimeoutMs = silentContext.operationTimeoutMs,
    log = silentContext.log,
    hideUnknownUsers = false,
  ): Promise<StorePorts> {
    const { keepsNames } = this;
    const context = { log, operationTimeoutMs, keepsNames, hideUnknownUsers };
    const store = await mongodb.open({ ...this.block, connectionString }, context);
    this.stores.push(store.users);
    return store;
  }

  /** Marks the collection as the service does. Events from before the time may expire. */
  async mark(format = currentFormat, time = 0): Promise<void> {
    const documents = this.client.db(this.databaseName).collection<UserRecord>(this.collectionName);
    await documents.updateOne(formatMark.filter, formatMark.updateTo({ format, time }), { upsert: true });
  }

  /** Closes everything and drops the database. */
  async dispose(): Promise<void> {
    try {
      await this.client.db(this.databaseName).dropDatabase();
    } finally {
      await this.abandon();
    }
  }

  /** Closes everything and leaves the database to a server that is removed itself. */
  async abandon(): Promise<void> {
    await Promise.all([...this.stores.map((store) => store.close()), this.client.close()]);
  }
}

export const find = (store: UserStore, address: string): Promise<StoredUser | undefined> =>
  store.find(keyOf(addressOf(address)));
