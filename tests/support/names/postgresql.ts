import { Client } from 'pg';
import type { StoredNames } from './stored-names.ts';

/** Reads all users and names of the tables of a schema, without the code of the store. */
export const postgresqlNames = async (connectionString: string, users: string): Promise<StoredNames> => {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    // In one statement, because others may be writing.
    const { rows } = await client.query<{
      readonly key: string | null;
      readonly name: string | null;
      readonly names: string | null;
    }>(
      `SELECT key, names, NULL AS name FROM ${users} WHERE reserved_until IS NULL
       UNION ALL SELECT key, NULL, convert_from(name, 'UTF8') FROM ${users}_names`,
    );
    const entries = rows.flatMap(({ name, key }) => (name === null ? [] : [[name, key ?? undefined] as const]));
    const held = rows.filter(({ name }) => name === null);
    return {
      users: new Map(held.map(({ key, names }) => [String(key), JSON.parse(names ?? '[]')])),
      entries: new Map(entries),
    };
  } finally {
    await client.end();
  }
};
