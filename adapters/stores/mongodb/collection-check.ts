import { Fault } from '../../../application/fault.ts';
import { checkTimeoutMs } from '../../kit/definition.ts';
import { isMissingIndex } from './errors.ts';
import { durableWrite } from './mongodb-connection.ts';
import type { UserCollection } from './user-collection.ts';
import { indexHint } from './user-indexes.ts';

/**
 * Runs one command that needs what a write needs and changes nothing: a primary, a majority that confirmed the last write
 * of the primary (it writes at least every 10 s), the unique index, and the permission to read and to remove. Resolves with
 * a line for operators.
 */
export const checkUsers = async (users: UserCollection, collectionOfNames: string): Promise<string> => {
  const { connection, databaseName, documents, format, readOnly } = users;
  const { collectionName } = documents;
  const timeoutMs = Math.min(checkTimeoutMs, users.timeoutMs);
  const options = { ...indexHint, writeConcern: durableWrite(timeoutMs), maxTimeMS: timeoutMs };
  // No user has an empty address.
  let isIndexed = true;
  const probe = async (): Promise<void> => {
    try {
      await documents.findOneAndDelete({ email: '' }, options);
    } catch (error) {
      if (!readOnly || !isMissingIndex(error)) throw error;
      isIndexed = false;
    }
  };
  await users.callWithIndex(probe, { timeoutMs });
  await users.call(() => format.check(), timeoutMs);
  const upgrade = isIndexed ? format.describe() : `the service creates the unique index of ${collectionName}`;
  const sharding = await users.describeSharding(collectionName, 'email');
  const reason = connection.whyWritesAreNotRetried();
  if (reason !== undefined && users.sharded.get(collectionName)) {
    const text = `${sharding}, and no address can be changed, because ${reason}`;
    throw new Fault('store_rejected', `database ${databaseName}: ${text}`);
  }
  const warning = reason === undefined ? undefined : `a write whose reply is lost gets 503, because ${reason}`;
  const line = [`database ${databaseName} is read and written`, upgrade, sharding];
  if (users.keepsNames && !readOnly) {
    const areSeparate = await users.call(() => users.indexes.namesAreSeparate.get(), timeoutMs);
    line.push(`names are in ${areSeparate ? `${collectionOfNames}, written in transactions` : collectionName}`);
  }
  return [...line, warning].filter((part) => part !== undefined).join('; ');
};
