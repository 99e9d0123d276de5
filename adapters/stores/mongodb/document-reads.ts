import { BSON, type Db, type Document } from 'mongodb';
import type { EmailKey } from '../../../domain/email-address.ts';
import type { UserKey } from '../../../domain/user-name.ts';
import { sharedReads } from '../../concurrency/call-batches.ts';
import { unreadableUser } from '../../kit/user-json/stored-user.ts';
import { isRejection } from './errors.ts';
import { consistentReads } from './mongodb-connection.ts';
import type { UserCollection } from './user-collection.ts';
import { readFields } from './user-record.ts';

/** The most users of one command: the largest ones (350 KiB) together are smaller than its largest reply (16 MB). */
const maxItems = 32;

/**
 * Reads the documents of users by plain commands, because a cursor of the driver would cost a quarter of a read. Those of
 * addresses that are requested in one turn of the event loop share a command, which is most of the cost. In a sharded
 * cluster they do not: it would fail for all of them if one shard does.
 */
export class DocumentReads {
  /** Without the options of writes, which the driver would copy with each read, a tenth of its cost. */
  private readonly database: Db;
  /** The document of a user, as recent as this call. Rejects with a Fault. */
  readonly byAddress = sharedReads<EmailKey, Document>(maxItems, {
    together: async (keys) =>
      this.users.connection.isShardedCluster() ? undefined : this.users.read(() => this.findAll(keys)),
    alone: (key) => this.users.read(() => this.findOne({ email: key }, key)),
  });

  constructor(private readonly users: UserCollection) {
    this.database = users.connection.database(users.databaseName, { readPreference: 'primary' });
  }

  /** The only document that matches. `key` identifies it in the Fault of a damaged one. */
  async findOne(filter: Document, key: UserKey): Promise<Document | undefined> {
    try {
      const { firstBatch } = await this.find(filter, { limit: 1, singleBatch: true });
      return firstBatch[0];
    } catch (error) {
      // A text with bytes that are no UTF-8, or a regular expression that JavaScript does not know.
      throw error instanceof BSON.BSONError || error instanceof SyntaxError ? unreadableUser(['text'], key) : error;
    }
  }

  /**
   * The documents of different addresses, and undefined for an address without one. An address that is missing in the
   * result has to be read alone, because the reply had a damaged document or no space for all. Undefined if all have to.
   */
  private async findAll(keys: readonly EmailKey[]): Promise<ReadonlyMap<unknown, Document | undefined> | undefined> {
    const { length } = keys;
    try {
      const { id, firstBatch } = await this.find({ email: { $in: keys } }, { limit: length, batchSize: length });
      const cursor = BSON.Long.fromValue(id);
      const isOpen = !cursor.isZero();
      if (isOpen) this.close(cursor);
      const found = new Map<unknown, Document | undefined>(firstBatch.map((document) => [document.email, document]));
      const others = keys.filter((key) => !found.has(key));
      // As many documents as keys can hide another one, if two of them have the same address, which a collection without
      // the unique index permits.
      const isComplete = !isOpen && firstBatch.length < length && found.size + others.length === length;
      if (isComplete) for (const key of others) found.set(key, undefined);
      return found;
    } catch (error) {
      if (isRejection(error)) return undefined;
      throw error;
    }
  }

  private close(cursor: BSON.Long): void {
    const { collectionName } = this.users.documents;
    // Otherwise the server does after some minutes.
    this.database.command({ killCursors: collectionName, cursors: [cursor] }).catch(() => undefined);
  }

  private async find(
    filter: Document,
    extent: Document,
  ): Promise<{ readonly id: BSON.Long | number; readonly firstBatch: readonly Document[] }> {
    const { documents, timeoutMs: maxTimeMS } = this.users;
    const { readConcern } = consistentReads;
    const command = {
      find: documents.collectionName,
      filter,
      projection: readFields,
      maxTimeMS,
      readConcern,
      ...extent,
    };
    const { cursor } = await this.database.command(command);
    return cursor;
  }
}
