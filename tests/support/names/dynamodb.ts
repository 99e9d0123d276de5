import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { StoredNames } from './stored-names.ts';

const entryKey = /^check ((?:id|property) .*)$/s;

/** Reads the whole table of users, without the code of the store. */
export const readNames = async (client: DynamoDBClient, TableName: string): Promise<StoredNames> => {
  const users = new Map<string, readonly string[]>();
  const entries = new Map<string, string | undefined>();
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    for (const { email, password, names, holder } of Items) {
      const key = email?.S ?? '';
      const name = entryKey.exec(key)?.[1];
      if (name !== undefined) entries.set(name, holder?.S);
      else if (key.includes('@') && password?.S !== '') users.set(key, names?.L?.map(({ S = '' }) => S) ?? []);
    }
  }
  return { users, entries };
};
