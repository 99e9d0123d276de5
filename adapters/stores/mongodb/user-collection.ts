import { type Collection, type Document, MongoServerError } from 'mongodb';
import { Fault } from '../../../application/fault.ts';
import { withTimeout } from '../../../application/interceptor.ts';
import { Once } from '../../concurrency/shared-call.ts';
import { checkTimeoutMs } from '../../kit/definition.ts';
import { StoredFormat } from '../stored-format.ts';
import type { MongoConnection } from './connection.ts';
import { isMissingIndex, isUnconfirmed, isWriteConflict, toFault } from './errors.ts';
import type { PrimaryConfirmation } from './primary-confirmation.ts';
import { UnreachableDatabase } from './reachability.ts';
import { formatMark, type UserRecord } from './user-record.ts';

/** Attempts of a command that loses against another write, or against an administrator who drops the index. */
const maxAttempts = 4;

/** Unauthorized, IndexOptionsConflict and IndexKeySpecsConflict: the index may exist nevertheless. */
const inconclusiveCodes = new Set<unknown>([13, 85, 86]);

/** MaxTimeMSExpired. */
const exceededTimeCode = 50;

/** The number of documents that are read to find out whether a collection holds users. */
const sampleSize = 5;

const isRecord = ({ email, version }: Document): boolean => typeof email === 'string' && typeof version === 'string';

/**
 * Names the unique index in a command. The server refuses a command that names a missing index, in the same step in which
 * it would run it, so that nothing is written to a collection that was dropped or created without the index.
 */
export const indexHint = { hint: { email: 1 } } as const;

/** The collection of the users: runs commands within a timeout, and makes sure that the unique index on `email` exists. */
export class UserCollection {
  private readonly index = new Once(() => this.attemptIndex());
  private closed = false;
  readonly format: StoredFormat;
  /** Whether collections of a sharded cluster are sharded, after `describeSharding`. */
  readonly sharded = new Map<string, boolean>();

  /** `timeoutMs` limits every call that has no timeout of its own. */
  constructor(
    readonly connection: MongoConnection,
    readonly documents: Collection<UserRecord>,
    readonly primary: PrimaryConfirmation,
    readonly timeoutMs: number,
    /** Whether nothing may be created or changed. */
    readonly readOnly = false,
  ) {
    this.format = new StoredFormat({
      place: `database ${documents.dbName}`,
      readOnly,
      read: async () => {
        const mark = await documents.findOne<Document>(formatMark.filter, { maxTimeMS: timeoutMs });
        return mark === null ? undefined : { format: mark.format, time: mark.time };
      },
      write: async (mark) => {
        await documents.updateOne(formatMark.filter, formatMark.updateTo(mark), { upsert: true, maxTimeMS: timeoutMs });
      },
    });
  }

  get databaseName(): string {
    return this.documents.dbName;
  }

  /** Creates the unique index unless it exists; throws a Fault. */
  createIndex(): Promise<void> {
    return this.call(() => this.index.get());
  }

  /** Runs an operation on the database within a timeout; throws a Fault. */
  async call<Result>(run: () => Promise<Result>, timeoutMs = this.timeoutMs): Promise<Result> {
    const { connection, databaseName } = this;
    this.format.throwIfNewer();
    if (this.closed) throw new Fault('store_unavailable', `database ${databaseName}: it was closed`);
    try {
      const onTimeout = () => connection.whyUnreachable() ?? this.noResponse(timeoutMs);
      return await withTimeout(timeoutMs, connection.ready().then(run), onTimeout);
    } catch (error) {
      if (isUnconfirmed(error)) this.primary.invalidate();
      throw toFault(databaseName, error, connection.whyUnreachable());
    }
  }

  /** Runs a read in `call`, which sees every write that was acknowledged before. */
  read<Result>(run: () => Promise<Result>): Promise<Result> {
    return this.call(() => this.primary.read(run));
  }

  /**
   * Runs a command that names an index, in `call`. It creates the unique index first, and again when the command finds an
   * index missing.
   */
  callWithIndex<Result>(run: () => Promise<Result>, { timeoutMs }: { timeoutMs?: number } = {}): Promise<Result> {
    return this.call(async () => {
      for (let attempt = 1; ; attempt++) {
        await this.index.get();
        try {
          return await run();
        } catch (error) {
          if (isMissingIndex(error)) this.index.forget();
          else if (!isWriteConflict(error)) throw error;
          if (attempt === maxAttempts) throw error;
        }
      }
    }, timeoutMs);
  }

  /**
   * How a collection with a unique index on `field` is distributed, for operators: undefined unless the cluster is sharded.
   * The shard key is not read, because that needs access to the database `config`; only one of `field` permits the index.
   */
  async describeSharding(collection: string, field: string): Promise<string | undefined> {
    if (!this.connection.isShardedCluster()) return undefined;
    const isSharded = this.sharded.get(collection) ?? (await this.readSharding(collection));
    if (isSharded === undefined) return `whether ${collection} is sharded is unknown, because collStats failed`;
    this.sharded.set(collection, isSharded);
    return isSharded ? `${collection} is sharded by ${field}` : `${collection} is not sharded`;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.connection.close();
  }

  private async readSharding(collection: string): Promise<boolean | undefined> {
    const maxTimeMS = Math.min(checkTimeoutMs, this.timeoutMs);
    const database = this.connection.database(this.databaseName, { readPreference: 'primary' });
    const statistics = this.call(() => database.command({ collStats: collection, maxTimeMS }), maxTimeMS);
    const { sharded }: Document = await statistics.catch(() => ({}));
    return typeof sharded === 'boolean' ? sharded : undefined;
  }

  private async attemptIndex(): Promise<void> {
    await this.refuseForeignDocuments();
    if (this.readOnly) return;
    try {
      await this.documents.createIndex(indexHint.hint, { unique: true });
    } catch (error) {
      const isInconclusive = error instanceof MongoServerError && inconclusiveCodes.has(error.code);
      // The first error tells operators more than one from reading the indexes.
      if (!isInconclusive || !(await this.hasIndex().catch(() => false))) throw error;
    }
  }

  /**
   * Throws a Fault for a collection of another program. The unique index would harm it: of the documents without `email`
   * it permits only one.
   */
  private async refuseForeignDocuments(): Promise<void> {
    const options = { projection: { email: 1, version: 1 }, maxTimeMS: this.timeoutMs };
    const sample = await this.documents.find<Document>({}, { ...options, limit: sampleSize }).toArray();
    if (sample.length === 0 || sample.some(isRecord) || (await this.hasRecord())) return;
    const { databaseName, documents } = this;
    const reason = `the documents of the collection ${documents.collectionName} are no users of Latchkey`;
    throw new Fault('store_rejected', `database ${databaseName}: ${reason}; write the name of another collectionName`);
  }

  /** Whether any document is a user, because the first ones may be damaged. The documents are read for a second at most. */
  private async hasRecord(): Promise<boolean> {
    const filter = { email: { $type: 'string' }, version: { $type: 'string' } } as const;
    const options = { projection: { _id: 1 }, maxTimeMS: Math.min(1_000, this.timeoutMs) };
    try {
      return (await this.documents.findOne<Document>(filter, options)) !== null;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === exceededTimeCode) return false;
      throw error;
    }
  }

  /** Whether the unique index exists, under any name. */
  private async hasIndex(): Promise<boolean> {
    const indexes = await this.documents.indexes();
    return indexes.some(
      ({ key, unique, sparse, partialFilterExpression }) =>
        JSON.stringify(key) === '{"email":1}' && unique === true && !sparse && partialFilterExpression === undefined,
    );
  }

  private noResponse(timeoutMs: number): UnreachableDatabase {
    const question = this.connection.hasAnswered() ? '' : '; is it MongoDB that listens there?';
    return new UnreachableDatabase(`no response within ${timeoutMs} ms${question}`);
  }
}
