import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Db } from 'mongodb';
import type { Bench } from './bench.ts';
import { headers, latchkey } from './latchkey.ts';
import { Server } from './server.ts';

/** The address of the user with this number. */
export const addressOf = (user: number): string => `user${user}@example.com`;

/** The path to read a user. */
export const pathOf = (user: number): string => `/users?email=${encodeURIComponent(addressOf(user))}`;

/** Creates the users 0 to `users` - 1 through a service, 16 at once. */
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
      if (response.status !== 201) throw new Error(`creating a user returned ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(users, 16) }, create));
};

/** Copies the only user of a database until there are `users`, whatever its columns are. */
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

const batchSize = 10_000;

/** Copies the only user of the collection `users` until there are `users`, with a changed hash of the password. */
export const multiplyInMongodb = async (
  database: Db,
  users: number,
  changeHash: (hash: string) => string = (hash) => hash,
): Promise<void> => {
  const collection = database.collection<{ _id: string; password: string }>('users');
  // The collection also has documents that are no users, such as the mark of its format.
  const first = await collection.findOne({ password: { $exists: true } });
  if (first === null) throw new Error('no user was created');
  for (let from = 1; from < users; from += batchSize) {
    const documents = Array.from({ length: Math.min(batchSize, users - from) }, (_, index) => {
      const address = addressOf(from + index);
      const version = randomUUID();
      return { ...first, _id: version, version, email: address, address, password: changeHash(first.password) };
    });
    await collection.insertMany(documents, { ordered: false, writeConcern: { w: 1 } });
  }
};

/** A database file created by the service, with the users 0 to `users` - 1; `blocks` are part of its configuration. */
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

/** A new folder with a copy of a database as `users.db`. */
export const folderWith = (bench: Bench, name: string, database: string): string => {
  const folder = bench.folder(name);
  copyFileSync(database, join(folder, 'users.db'));
  return folder;
};
