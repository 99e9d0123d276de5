import Database from 'better-sqlite3';
import type { StoredNames } from './stored-names.ts';

/** Reads all names in the file at a path. */
export const sqliteNames = (path: string): StoredNames => {
  const file = new Database(path, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    // In one transaction, because others may be writing.
    return file.transaction((): StoredNames => {
      const users = file
        .prepare<[], [string, string | null]>("SELECT key, names FROM users WHERE password <> ''")
        .raw()
        .all();
      const entries = file.prepare<[], [string, string | null]>('SELECT name, holder FROM entries').raw().all();
      return {
        users: new Map(users.map(([key, names]) => [key, JSON.parse(names ?? '[]')])),
        entries: new Map(entries.map(([name, holder]) => [name, holder ?? undefined])),
      };
    })();
  } finally {
    file.close();
  }
};
