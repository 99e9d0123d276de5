// The global of this name is a getter, which costs a call at each use.
import { performance } from 'node:perf_hooks';
import { type Collection, type Document, type IndexDescription, MongoServerError } from 'mongodb';
import { Fault } from '../../../application/fault.ts';
import { Once } from '../../concurrency/shared-call.ts';
import { isOn, readSafeIndexes } from './collection-options.ts';
import type { UserRecord } from './user-record.ts';

/** Unauthorized, IndexOptionsConflict and IndexKeySpecsConflict: the index may exist nevertheless. */
const inconclusiveCodes = new Set<unknown>([13, 85, 86]);

/** CannotCreateIndex: a collection sharded by another field can have no unique index. */
const shardedByOtherField = 67;

/** MaxTimeMSExpired. */
const exceededTimeCode = 50;

/** The number of documents that are read to find out whether a collection holds users. */
const sampleSize = 5;

/** How often writes look whether the indexes are still unique. */
const recheckIntervalMs = 10_000;

const isRecord = ({ email, version }: Document): boolean => typeof email === 'string' && typeof version === 'string';

/**
 * Names the unique index in a command. The server refuses a command that names a missing index, in the same step in which
 * it would run it, so that nothing is written to a collection that was dropped or created without the index. It does not
 * refuse one whose index was replaced by another of the same fields, which `recheck` finds.
 */
export const indexHint = { hint: { email: 1 } } as const;

/** Names the unique index of names, which has no entries for users without names. */
export const namesHint = { hint: { names: 1 } } as const;

interface RequiredIndex {
  readonly key: Readonly<Record<string, 1>>;
  readonly sparse: boolean;
}

const ofAddresses: RequiredIndex = { key: indexHint.hint, sparse: false };
const ofNames: RequiredIndex = { key: namesHint.hint, sparse: true };

/** Whether one of these indexes is the required one, under any name. Undefined if none has its fields. */
const findRequired = (indexes: readonly IndexDescription[], { key, sparse }: RequiredIndex): boolean | undefined => {
  const ofSameFields = indexes.filter((index) => isOn(index, key));
  if (ofSameFields.length === 0) return undefined;
  return ofSameFields.some(
    (index) =>
      index.unique === true && (index.sparse === true) === sparse && index.partialFilterExpression === undefined,
  );
};

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

  private recheckAtMs: number;

  constructor(
    private readonly documents: Collection<UserRecord>,
    private readonly options: IndexOptions,
    private readonly intervalMs = recheckIntervalMs,
  ) {
    this.recheckAtMs = performance.now() + intervalMs;
  }

  /** Resolves once the index on `email` exists. From time to time it also starts `recheck`, for which nothing waits. */
  required(): Promise<void> {
    const now = performance.now();
    if (now >= this.recheckAtMs) {
      this.recheckAtMs = now + this.intervalMs;
      // If the server does not respond, the next one tells.
      this.recheck().catch(() => undefined);
    }
    return this.addresses.get();
  }

  /**
   * Makes the next call fail if another index has taken the place of a required one. Resolves with whether one has, as far
   * as is known. Rejects if the server does not respond, and for a capped collection or a collation, also in the next
   * call.
   */
  async recheck(): Promise<boolean> {
    const required =
      (await this.namesAreSeparate.current?.catch(() => true)) === false ? [ofAddresses, ofNames] : [ofAddresses];
    // Without the permission to read the indexes, the attempt to create them tells whether they are the required ones.
    const indexes = await this.readSafeIndexes().catch((error: unknown) => {
      if (error instanceof Fault) this.forget();
      throw error;
    });
    const isReplaced = indexes !== undefined && required.some((index) => findRequired(indexes, index) === false);
    if (isReplaced || indexes === undefined) this.forget();
    return isReplaced;
  }

  /** Makes the next call create missing indexes. */
  forget(): void {
    this.addresses.forget();
    this.namesAreSeparate.forget();
  }

  private async attemptAddresses(): Promise<void> {
    const [isEmpty] = await Promise.all([this.refuseForeignDocuments(), this.readSafeIndexes()]);
    if (this.options.readOnly) return;
    // Before the other index, which every write names: a command finds no index missing from a collection that is missing.
    if (isEmpty && this.options.keepsNames) await this.namesAreSeparate.get();
    await this.create(ofAddresses);
  }

  private async attemptNames(): Promise<boolean> {
    try {
      if (!this.options.readOnly) await this.create(ofNames);
      return false;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === shardedByOtherField) return true;
      throw error;
    }
  }

  private readSafeIndexes(): Promise<readonly IndexDescription[] | undefined> {
    return readSafeIndexes(this.documents, [ofAddresses.key, ...(this.options.keepsNames ? [ofNames.key] : [])]);
  }

  private async create(index: RequiredIndex): Promise<void> {
    try {
      await this.documents.createIndex(index.key, { unique: true, ...(index.sparse && { sparse: true }) });
    } catch (error) {
      const isInconclusive = error instanceof MongoServerError && inconclusiveCodes.has(error.code);
      // The first error tells operators more than one from reading the indexes.
      if (!isInconclusive || !findRequired((await this.readSafeIndexes().catch(() => [])) ?? [], index)) throw error;
    }
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
