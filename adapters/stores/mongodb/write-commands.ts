import {
  type AnyBulkWriteOperation,
  type ClientSession,
  type Document,
  type Filter,
  MongoBulkWriteError,
  type UpdateFilter,
} from 'mongodb';
import { Fault } from '../../../application/fault.ts';
import type { UserCollection } from './user-collection.ts';
import { indexHint, namesHint } from './user-indexes.ts';
import type { UserRecord } from './user-record.ts';

type Update = UpdateFilter<UserRecord> | Document[];

/** The commands of a write. Each resolves with the number of documents that it found. */
export interface Commands {
  update(filter: Filter<UserRecord>, update: Update, options?: { readonly upsert?: true }): Promise<number>;
  delete(filter: Filter<UserRecord>): Promise<number>;
}

/**
 * Finds no document, also none of another program whose name is empty. A command can name one index for each of its
 * statements, and runs no further one after an error, so that this statement in front of another makes the server refuse
 * both without the index of names.
 */
const namesProbe = { filter: { names: '', $expr: false }, update: { $set: { version: '' } }, ...namesHint };

/** Throws the error of a command that the driver has wrapped in one about several. */
const rethrowOriginal = (error: unknown): never => {
  throw error instanceof MongoBulkWriteError && error.errorResponse instanceof Error ? error.errorResponse : error;
};

/** The commands of a write in a session. They need the index on addresses, and that of names if the write takes any. */
export const commandsIn = (
  { documents, timeoutMs }: UserCollection,
  session: ClientSession,
  takesNames: boolean,
): Commands => {
  const options = { maxTimeMS: timeoutMs, session };
  return {
    update: async (filter, update, upsert = {}) => {
      const statement = { ...indexHint, ...upsert };
      if (!takesNames) return (await documents.updateOne(filter, update, { ...options, ...statement })).matchedCount;
      const statements: AnyBulkWriteOperation<UserRecord>[] = [
        { updateOne: namesProbe },
        { updateOne: { filter, update, ...statement } },
      ];
      return (await documents.bulkWrite(statements, options).catch(rethrowOriginal)).matchedCount;
    },
    delete: async (filter) => (await documents.deleteOne(filter, { ...options, ...indexHint })).deletedCount,
  };
};

/** The outcome of a write; a Fault names the document if another program has damaged its list of events. */
export const namingDamaged = async <Outcome>(
  { documents }: UserCollection,
  email: string,
  written: Promise<Outcome>,
): Promise<Outcome> => {
  try {
    return await written;
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'store_rejected') throw error;
    const damaged = { email, events: { $exists: true, $not: { $type: 'array' } } } as const;
    const found = await documents.findOne(damaged, { projection: { _id: 1 } }).catch(() => null);
    if (found === null) throw error;
    throw new Fault('store_rejected', 'a stored user has no readable events', { record: email });
  }
};
