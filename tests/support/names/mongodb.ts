import type { Db, Document } from 'mongodb';
import type { StoredNames } from './stored-names.ts';

/**
 * Reads all users and names of a collection, without the code of the store. The entries are those of the index on `names`,
 * which is in the documents themselves, or those of the collection of names of a sharded cluster. Throws if a name is
 * there twice.
 */
export const readNames = async (database: Db, collectionName: string): Promise<StoredNames> => {
  const users = new Map<string, readonly string[]>();
  const entries = new Map<string, string | undefined>();
  const add = (name: string, key: string | undefined): void => {
    if (entries.has(name)) throw new Error(`two records have the name ${name}`);
    entries.set(name, key);
  };
  const read = { readConcern: { level: 'majority' } } as const;
  const documents = database.collection<Document>(collectionName);
  const indexes = await documents.indexes();
  const isIndexed = indexes.some(({ key, unique }) => key.names === 1 && unique === true);
  for (const { email, password, names = [] } of await documents.find({}, read).toArray()) {
    // A document whose `email` is no address holds no user.
    const isUser = String(email).includes('@') && password !== '';
    if (isUser) users.set(email, names);
    else if (names.length > 0 && password !== '') throw new Error(`a document of no user has names: ${email}`);
    if (isIndexed || !isUser) for (const name of names) add(name, isUser ? email : undefined);
  }
  const separate = await database
    .collection<{ _id: string; email?: string }>(`${collectionName}-names`)
    .find({}, read)
    .toArray();
  for (const { _id, email } of separate) add(_id, email);
  return { users, entries };
};
