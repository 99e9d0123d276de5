import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';

/** The names that users have, and the users that the entries of names say, as they are stored. */
export interface StoredNames {
  /** By the key of the address. */
  readonly users: ReadonlyMap<string, readonly string[]>;
  /** The key of the address by the name; undefined for a reservation. */
  readonly entries: ReadonlyMap<string, string | undefined>;
}

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
