import { type Collection, type Document, type IndexDescription, MongoAPIError, MongoServerError } from 'mongodb';
import { Fault } from '../../../application/fault.ts';

type IndexKey = Readonly<Record<string, 1>>;

const unauthorizedCode = 13;

/** The options of a collection; none if it is missing, or if the user may not read them. */
const optionsOf = (collection: Pick<Collection, 'options'>): Promise<Document> =>
  collection.options({ readPreference: 'primary' }).catch((error: unknown) => {
    if (error instanceof MongoServerError && error.code === unauthorizedCode) return {};
    // The driver has no class of its own for a missing collection.
    if (error instanceof MongoAPIError && error.name === 'MongoAPIError') return {};
    throw error;
  });

/** The indexes of a collection; undefined if they cannot be read, as without the permission. */
const indexesOf = (collection: Pick<Collection, 'indexes'>): Promise<readonly IndexDescription[] | undefined> =>
  collection.indexes().catch((error: unknown) => {
    if (error instanceof MongoServerError) return undefined;
    throw error;
  });

/** Whether an index is on these fields, in this order. */
export const isOn = (index: IndexDescription, key: IndexKey): boolean =>
  JSON.stringify(index.key) === JSON.stringify(key);

/**
 * The indexes of a collection; undefined if they cannot be read. Throws a Fault if the collection is capped, so that the
 * server deletes its oldest documents, or if different texts are the same in it, or in an index on one of these keys.
 */
export const readSafeIndexes = async (
  collection: Pick<Collection, 'options' | 'indexes' | 'dbName' | 'collectionName'>,
  keys: readonly IndexKey[] = [],
): Promise<readonly IndexDescription[] | undefined> => {
  const { capped, collation } = await optionsOf(collection);
  const indexes = await indexesOf(collection);
  const { dbName, collectionName } = collection;
  const refusal = (reason: string) =>
    new Fault('store_rejected', `database ${dbName}: the collection ${collectionName} ${reason}`);
  const remedy = `copy them to an ordinary collection, and rename that to ${collectionName}`;
  const effect = 'by which different texts are the same';
  if (capped) throw refusal(`is capped, so that the server deletes its oldest documents; ${remedy}`);
  if (collation !== undefined) throw refusal(`has a collation, ${effect} in its documents; ${remedy}`);
  const index = indexes?.find((one) => one.collation !== undefined && keys.some((key) => isOn(one, key)));
  if (index !== undefined) throw refusal(`has an index ${index.name} with a collation, ${effect}; drop that index`);
  return indexes;
};
