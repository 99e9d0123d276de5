import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { eventsStartAgain, wayBack } from '../stored-format.ts';
import { hasSpace } from './disk-space.ts';
import { toFault, unavailable } from './errors.ts';
import { schemaVersion } from './schema.ts';
import { userColumns } from './user-table.ts';

/** Files of this schema and former ones are from versions that kept events until they were delivered. */
const lastSchemaWithoutExpiry = 3;

/** The columns that statements read, by table. */
const readColumns: Readonly<Record<string, readonly string[]>> = {
  users: userColumns,
  events: ['destination', 'id', 'time', 'body', 'due', 'attempts'],
};

/**
 * Lets a read-only connection read a file of a former schema, or an empty one: a temporary view takes the place of each
 * table that lacks columns, and has NULL in them.
 */
export const coverFormerSchema = (database: Database.Database): void => {
  const existing = database.prepare<[string], string>("SELECT name FROM pragma_table_info(?, 'main')").pluck();
  for (const [table, columns] of Object.entries(readColumns)) {
    const stored = new Set(existing.all(table));
    const selected = columns.map((column) => (stored.has(column) ? column : `NULL AS ${column}`)).join(', ');
    const source = stored.size === 0 ? 'WHERE false' : `FROM main.${table}`;
    database.exec(`CREATE TEMP VIEW ${table} AS SELECT ${selected} ${source}`);
  }
};

/**
 * What the service will do with a file that was only read, for operators. Throws a Fault, or an error of the file system
 * if this user may not write to it.
 */
export const describeUnopened = async (path: string, schema: number): Promise<string> => {
  accessSync(path, constants.W_OK);
  accessSync(dirname(path), constants.W_OK | constants.X_OK);
  if (!(await hasSpace(path))) throw toFault(path, unavailable('the disk has no space for the largest user'));
  const line = `database ${path} is read, and this user may write to it`;
  if (schema === schemaVersion) return line;
  if (schema === 0) return `${line}; it is empty, and the service creates its tables`;
  const upgrade = `the service upgrades its schema from ${schema} to ${schemaVersion}, and former versions cannot open it any more: back up first (${wayBack})`;
  return `${line}; ${upgrade}${schema <= lastSchemaWithoutExpiry ? `; ${eventsStartAgain}` : ''}`;
};
