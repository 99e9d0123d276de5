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
 * The indexes of a collection; undefined if they cannot be read. Throws a Fault if different texts are the same in the
 * collection, or in an index on one of these keys.
 */
export const readSafeIndexes = async (
  collection: Pick<Collection, 'options' | 'indexes' | 'dbName' | 'collectionName'>,
  keys: readonly IndexKey[] = [],
): Promise<readonly IndexDescription[] | undefined> => {
  const { collation } = await optionsOf(collection);
  const indexes = await indexesOf(collection);
  const place = `database ${collection.dbName}: the collection ${collection.collectionName}`;
  if (collation !== undefined)
    throw new Fault(
      'store_rejected',
      `${place} has a collation, by which different texts are the same; copy its documents to one without, and rename that to ${collection.collectionName}`,
    );
  const index = indexes?.find((one) => one.collation !== undefined && keys.some((key) => isOn(one, key)));
  if (index !== undefined)
    throw new Fault(
      'store_rejected',
      `${place} has an index ${index.name} with a collation, by which different texts are the same; drop that index`,
    );
  return indexes;
};
