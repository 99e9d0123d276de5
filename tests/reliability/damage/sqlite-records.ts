import Database from 'better-sqlite3';
import { columnOf } from '../../../adapters/stores/sqlite/sqlite-user-table.ts';
import { userFields } from '../../../domain/user-fields.ts';
import type { Damage } from './damages.ts';
import { accepted, eventMembers, type RawRecords } from './raw-records.ts';

const utf8 = Buffer.from.bind(Buffer);

/** The expression and the value that write a damage; undefined if SQLite has no such value. */
const written = (damage: Damage): readonly [sql: string, value: unknown] | undefined => {
  switch (damage.kind) {
    case 'missing':
      return ['?', null];
    case 'value':
      return ['?', typeof damage.value === 'boolean' ? Number(damage.value) : damage.value];
    case 'bytes':
      return ['?', Buffer.from(damage.value)];
    case 'invalidUtf8':
      return [
        'CAST(? AS TEXT)',
        Buffer.concat([utf8(damage.before), Buffer.from([0xff, 0xc3, 0xed, 0xa0, 0x80]), utf8(damage.after)]),
      ];
    default:
      return undefined;
  }
};

/** Lets the tables take every value in every column, as a damaged page of the file would. */
const dropChecks = (database: Database.Database): void => {
  database.unsafeMode();
  database.pragma('ignore_check_constraints = ON');
  database.pragma('writable_schema = ON');
  database.exec(
    `UPDATE sqlite_schema SET sql = replace(replace(replace(replace(sql, ') STRICT, WITHOUT', ') WITHOUT'), ') STRICT', ')'), ' INTEGER', ' BLOB'), ' TEXT', ' BLOB')
     WHERE name IN ('users', 'events', 'failed_attempts')`,
  );
  database.exec(`UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE name IN ('users', 'events')`);
  const version = Number(database.pragma('schema_version', { simple: true }));
  database.pragma(`schema_version = ${version + 1}`);
  database.pragma('writable_schema = OFF');
};

/** The records in the file at a path, and those in the file of the counters. */
export const sqliteRecords = (path: string): RawRecords => {
  const users = new Database(path, { timeout: 5_000 });
  const counters = new Database(`${path}-throttle`, { timeout: 5_000 });
  for (const database of [users, counters]) dropChecks(database);
  const update = (database: Database.Database, table: string, where: string) => {
    return (key: string, field: string, damage: Damage): Promise<boolean> => {
      const write = written(damage);
      if (write === undefined) return Promise.resolve(false);
      const statement = `UPDATE ${table} SET ${field} = ${write[0]} WHERE ${where} = ?`;
      return accepted(() => database.prepare(statement).run(write[1], key).changes > 0);
    };
  };
  return {
    userFields: ['key', 'version', 'names', ...userFields.map(columnOf)],
    eventFields: eventMembers,
    counterFields: ['points', 'expire'],
    damageUser: update(users, 'users', 'key'),
    addEvent: async ({ id, destination, time, body }, field, damage) => {
      const insert = users.prepare(
        'INSERT INTO events (destination, id, time, body, due, attempts) VALUES (?, ?, ?, ?, ?, 0)',
      );
      return (
        (await accepted(() => insert.run(destination, id, time, body, time))) &&
        update(users, 'events', 'id')(id, field, damage)
      );
    },
    damageCounter: update(counters, 'failed_attempts', 'substr(key, -43)'),
    clear: async (keys) => {
      const list = keys.map(() => '?').join(', ');
      users.prepare(`DELETE FROM users WHERE key IS NULL OR key NOT IN (${list})`).run(...keys);
      users.exec('DELETE FROM events');
      counters.exec('DELETE FROM failed_attempts');
    },
    close: async () => {
      users.close();
      counters.close();
    },
  };
};
