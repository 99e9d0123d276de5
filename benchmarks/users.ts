import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Bench } from './bench.ts';
import { headers, latchkey } from './latchkey.ts';
import { Server } from './server.ts';

/** The address of a user of the bench, by its number. */
export const addressOf = (user: number): string => `user${user}@example.com`;

/** Where a user is read. */
export const pathOf = (user: number): string => `/users?email=${encodeURIComponent(addressOf(user))}`;

/** Creates the users 0 up to `users` through a service, a few at once. */
export const createUsers = async (url: string, users: number): Promise<void> => {
  let next = 0;
  const create = async (): Promise<void> => {
    while (next < users) {
      const user = next++;
      const body = JSON.stringify({
        email: { address: addressOf(user) },
        password: headers.password,
        name: 'Jane Doe',
        plan: 'free',
        visits: user,
      });
      const response = await fetch(`${url}/users`, { method: 'POST', headers, body });
      await response.text();
      if (response.status !== 201) throw new Error(`a user of the bench was refused with ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(users, 16) }, create));
};

/** Copies the one user of a database until there are so many: the columns are whatever the product made them. */
const multiply = (file: string, users: number): void => {
  const database = new Database(file);
  const names = database.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all('users');
  const values = names.map((name) =>
    name === 'key' || name === 'address' ? '$address' : name === 'version' ? '$version' : name,
  );
  const copy = database.prepare(
    `INSERT INTO users (${names.join(', ')}) SELECT ${values.join(', ')} FROM users WHERE key = '${addressOf(0)}'`,
  );
  database.transaction(() => {
    for (let user = 1; user < users; user++) copy.run({ address: addressOf(user), version: randomUUID() });
  })();
  database.close();
};

/** A database file that the service itself made, with the users 0 up to `users`; `blocks` are of its configuration. */
export const seededDatabase = async (
  bench: Bench,
  users: number,
  blocks: Readonly<Record<string, unknown>> = {},
): Promise<string> => {
  const folder = bench.folder('seed');
  const server = await Server.start(bench.machine, latchkey(folder, blocks));
  await createUsers(server.url, 1);
  await server.stop();
  const file = join(folder, 'users.db');
  multiply(file, users);
  return file;
};

/** A fresh folder with a copy of a database as `users.db`. */
export const folderWith = (bench: Bench, name: string, database: string): string => {
  const folder = bench.folder(name);
  copyFileSync(database, join(folder, 'users.db'));
  return folder;
};
