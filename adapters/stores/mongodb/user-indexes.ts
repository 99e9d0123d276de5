import { type Collection, type Document, type IndexDescription, MongoServerError } from 'mongodb';
import { Fault } from '../../../application/fault.ts';
import { Once } from '../../concurrency/shared-call.ts';
import type { UserRecord } from './user-record.ts';

/** Unauthorized, IndexOptionsConflict and IndexKeySpecsConflict: the index may exist nevertheless. */
const inconclusiveCodes = new Set<unknown>([13, 85, 86]);

/** CannotCreateIndex: a collection sharded by another field can have no unique index. */
const shardedByOtherField = 67;

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

/** Names the unique index of names, which has no entries for users without names. */
export const namesHint = { hint: { names: 1 } } as const;

interface IndexOptions {
  /** Limits a read of documents. */
  readonly timeoutMs: number;
  /** Whether nothing may be created. */
  readonly readOnly: boolean;
  /** Whether users may have names. */
  readonly keepsNames: boolean;
}

/** The indexes that keep two users from having one address, or one name. */
export class UserIndexes {
  /** Creates the unique index on `email` unless it exists. */
  readonly addresses = new Once(() => this.attemptAddresses());
  /**
   * Creates the unique index on `names` unless it exists. Resolves with whether names can be unique only in a collection
   * of their own, because this one is sharded by address.
   */
  readonly namesAreSeparate = new Once(() => this.attemptNames());

  constructor(
    private readonly documents: Collection<UserRecord>,
    private readonly options: IndexOptions,
  ) {}

  /** Makes the next call create missing indexes. */
  forget(): void {
    this.addresses.forget();
    this.namesAreSeparate.forget();
  }

  private async attemptAddresses(): Promise<void> {
    const isEmpty = await this.refuseForeignDocuments();
    if (this.options.readOnly) return;
    // Before the other index, which every write names: a command finds no index missing from a collection that is missing.
    if (isEmpty && this.options.keepsNames) await this.namesAreSeparate.get();
    await this.create(indexHint.hint, { sparse: false });
  }

  private async attemptNames(): Promise<boolean> {
    try {
      if (!this.options.readOnly) await this.create(namesHint.hint, { sparse: true });
      return false;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === shardedByOtherField) return true;
      throw error;
    }
  }

  private async create(key: Readonly<Record<string, 1>>, { sparse }: { readonly sparse: boolean }): Promise<void> {
    try {
      await this.documents.createIndex(key, { unique: true, ...(sparse && { sparse }) });
    } catch (error) {
      const isInconclusive = error instanceof MongoServerError && inconclusiveCodes.has(error.code);
      // The first error tells operators more than one from reading the indexes.
      if (!isInconclusive || !(await this.exists(key, sparse).catch(() => false))) throw error;
    }
  }

  /** Whether a unique index exists, under any name. */
  private async exists(fields: Readonly<Record<string, 1>>, sparse: boolean): Promise<boolean> {
    const indexes: readonly IndexDescription[] = await this.documents.indexes();
    return indexes.some(
      (index) =>
        JSON.stringify(index.key) === JSON.stringify(fields) &&
        index.unique === true &&
        (index.sparse === true) === sparse &&
        index.partialFilterExpression === undefined,
    );
  }

  /**
   * Throws a Fault for a collection of another program. The unique index would harm it: of the documents without `email`
   * it permits only one. Resolves with whether the collection is empty.
   */
  private async refuseForeignDocuments(): Promise<boolean> {
    const options = { projection: { email: 1, version: 1 }, maxTimeMS: this.options.timeoutMs };
    const sample = await this.documents.find<Document>({}, { ...options, limit: sampleSize }).toArray();
    if (sample.length === 0 || sample.some(isRecord) || (await this.hasRecord())) return sample.length === 0;
    const { dbName, collectionName } = this.documents;
    const reason = `the documents of the collection ${collectionName} are no users of Latchkey`;
    throw new Fault('store_rejected', `database ${dbName}: ${reason}; write the name of another collectionName`);
  }

  /** Whether any document is a user, because the first ones may be damaged. The documents are read for a second at most. */
  private async hasRecord(): Promise<boolean> {
    const filter = { email: { $type: 'string' }, version: { $type: 'string' } } as const;
    const options = { projection: { _id: 1 }, maxTimeMS: Math.min(1_000, this.options.timeoutMs) };
    try {
      return (await this.documents.findOne<Document>(filter, options)) !== null;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === exceededTimeCode) return false;
      throw error;
    }
  }
}
