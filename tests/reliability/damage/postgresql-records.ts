import { Client, escapeIdentifier } from 'pg';
import { columnOf } from '../../../adapters/stores/postgresql/postgresql-schema.ts';
import { userFields } from '../../../domain/user-fields.ts';
import type { Damage } from './damages.ts';
import { accepted, eventMembers, type RawRecords } from './raw-records.ts';

const utf8 = Buffer.from.bind(Buffer);

/** The value of a parameter that writes a damage; undefined if PostgreSQL has no such value. */
const written = (damage: Damage, isBinary: boolean): string | Buffer | null | undefined => {
  switch (damage.kind) {
    case 'missing':
      return null;
    case 'value': {
      const text = damage.value === null ? null : String(damage.value);
      return isBinary && text !== null ? utf8(text) : text;
    }
    case 'bytes':
      return Buffer.from(damage.value);
    case 'invalidUtf8':
      return Buffer.concat([utf8(damage.before), Buffer.from([0xff, 0xc3, 0xed, 0xa0, 0x80]), utf8(damage.after)]);
    default:
      return undefined;
  }
};

const binaryColumns = userFields.filter(({ kind }) => kind === 'text').map(columnOf);
const userColumns = ['version', 'names', ...userFields.map(columnOf)];

/** The records in the tables of a schema, which then take NULL in every column without a key. */
export const postgresqlRecords = async (
  connectionString: string,
  schema: string,
  table: string,
): Promise<RawRecords> => {
  const client = new Client({ connectionString });
  await client.connect();
  const [users, names, events, attempts] = ['', '_names', '_events', '_attempts'].map(
    (suffix) => `${escapeIdentifier(schema)}.${escapeIdentifier(table + suffix)}`,
  );
  const lax = (columns: readonly string[]) => columns.map((column) => `ALTER ${column} DROP NOT NULL`).join(', ');
  await client.query(`ALTER TABLE ${users} ${lax(userColumns)};
    ALTER TABLE ${events} ${lax(['time', 'body', 'due', 'attempts'])}; ALTER TABLE ${attempts} ${lax(['points'])}`);
  const update = (of: string | undefined, where: string) => {
    return async (key: string, field: string, damage: Damage): Promise<boolean> => {
      const value = written(damage, binaryColumns.includes(field));
      if (value === undefined) return false;
      const statement = `UPDATE ${of} SET ${field} = $1 WHERE ${where} = $2`;
      return accepted(async () => ((await client.query(statement, [value, key])).rowCount ?? 0) > 0);
    };
  };
  return {
    userFields: ['key', ...userColumns],
    eventFields: eventMembers,
    counterFields: ['points', 'expire'],
    damageUser: update(users, 'key'),
    addEvent: async ({ id, destination, time, body }, field, damage) => {
      const insertion = `INSERT INTO ${events} (destination, id, time, body, due, attempts) VALUES ($1, $2, $3, $4, $3, 0)`;
      return (
        (await accepted(() => client.query(insertion, [destination, id, time, body]))) &&
        update(events, 'id')(id, field, damage)
      );
    },
    damageCounter: update(attempts, 'right(key, 43)'),
    clear: async (keys) => {
      await client.query(`DELETE FROM ${users} WHERE key <> ALL($1)`, [keys]);
      await client.query(`DELETE FROM ${names} WHERE key IS NULL; DELETE FROM ${events}; DELETE FROM ${attempts}`);
    },
    close: () => client.end(),
  };
};
