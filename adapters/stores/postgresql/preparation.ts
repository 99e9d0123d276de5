import type { Database, Row } from './database.ts';
import { type TableDefinition, type Tables, tableDefinitions } from './schema.ts';
import { textLiteral } from './sql.ts';

/** How long a change of a table waits for those who use it, such as pg_dump: meanwhile all later reads wait as well. */
const lockTimeoutMs = 100;

const nameOfColumn = (definition: string): string => definition.slice(0, definition.indexOf(' '));

/** Finds the columns of all tables in the catalogue, which locks nothing. */
const inspection = (tables: Tables): string =>
  `SELECT wanted.name, attname FROM (VALUES ${tableDefinitions
    .map(({ name }) => `(${textLiteral(name)}, to_regclass(${textLiteral(tables[name])}))`)
    .join(', ')}) wanted (name, id)
   LEFT JOIN pg_catalog.pg_attribute ON attrelid = id AND attnum > 0 AND NOT attisdropped WHERE id IS NOT NULL`;

/** What a database lacks. */
export interface Missing {
  /** For operators, such as `table users` or `column users.id`. */
  readonly names: readonly string[];
  /** Creates it; empty if nothing is missing. */
  readonly statements: readonly string[];
}

const creation = (
  tables: Tables,
  { name, columns, constraints, options, indexes }: TableDefinition,
): readonly string[] => {
  const table = tables[name];
  const lines = [...columns, ...(constraints === undefined ? [] : [constraints])];
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (\n  ${lines.join(',\n  ').replaceAll('@users', tables.users)}\n) ${options ?? ''}`.trim(),
    ...Object.entries(indexes ?? {}).map(
      ([suffix, on]) => `CREATE INDEX IF NOT EXISTS ${indexName(tables, suffix)} ON ${table} ${on}`,
    ),
  ];
};

/** An index is in the schema of its table, and named without it. */
const indexName = ({ users }: Tables, suffix: string): string => `${users.slice(users.indexOf('.') + 1, -1)}${suffix}"`;

/** Compares the tables of the database with those that this version needs. */
export const missingIn = (tables: Tables, rows: readonly Row[]): Missing => {
  const names: string[] = [];
  const statements: string[] = [];
  for (const definition of tableDefinitions) {
    const table = tables[definition.name];
    const found = new Set(rows.filter(([name]) => name === definition.name).map(([, column]) => column));
    if (found.size === 0) {
      names.push(`table ${table}`);
      statements.push(...creation(tables, definition));
      continue;
    }
    const missing = definition.columns.filter((column) => !found.has(nameOfColumn(column)));
    for (const column of missing) {
      names.push(`column ${nameOfColumn(column)} of ${table}`);
      statements.push(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${column}`);
    }
  }
  return { names, statements };
};

/** Creates what the database lacks. It changes nothing otherwise, because changes lock a table. */
export const prepareTables = async (database: Database): Promise<void> => {
  const { tables } = database;
  const { statements } = missingIn(tables, await database.unprepared((run) => run(inspection(tables))));
  if (statements.length === 0) return;
  // One at a time, because several that start together would otherwise fail.
  const lock = `SELECT pg_advisory_xact_lock(hashtext(${textLiteral(`latchkey ${tables.users}`)}))`;
  await database.unprepared((run) => run(lock, `SET LOCAL lock_timeout = ${lockTimeoutMs}`, ...statements));
};
