import { type TableDefinition, type Tables, tableDefinitions } from './postgresql-schema.ts';
import { type Row, textLiteral } from './sql.ts';

interface Column {
  readonly name: string;
  readonly definition: string;
  /** As `format_type` writes it, and the collation where it matters. */
  readonly type: string;
}

const columnIn = (definition: string): Column => {
  const [typed = ''] = definition.split(/ (?:NOT NULL|DEFAULT|REFERENCES)/);
  const end = typed.indexOf(' ');
  const type = typed.slice(end + 1).replace('timestamptz', 'timestamp with time zone');
  return { name: typed.slice(0, end), definition, type };
};

/** The quoted schema of the tables. */
export const schemaOf = ({ users }: Tables): string => users.slice(0, users.indexOf('.'));

/** A table for operators, and an index without its schema. */
export const plainName = (table: string): string => table.replaceAll('"', '');

/**
 * Reads the catalogue, which locks nothing. A function is qualified, here and elsewhere, if one for the very types of its
 * arguments in a schema of the search path would be preferred to that of pg_catalog.
 */
export const inspection = (tables: Tables): string => {
  const wanted = tableDefinitions.map(
    ({ name }) => `(${textLiteral(name)}, to_regclass(${textLiteral(tables[name])}))`,
  );
  const schema = textLiteral(plainName(schemaOf(tables)));
  return `WITH wanted (name, id) AS (VALUES ${wanted.join(', ')})
    SELECT 'column', name, attname::text, format_type(atttypid, atttypmod), collname::text
      FROM wanted JOIN pg_catalog.pg_attribute ON attrelid = id AND attnum > 0 AND NOT attisdropped
      LEFT JOIN pg_catalog.pg_collation c ON c.oid = attcollation
    UNION ALL SELECT 'key', name, (SELECT pg_catalog.string_agg(attname, ', ' ORDER BY position)
        FROM pg_catalog.unnest(indkey) WITH ORDINALITY key (number, position)
        JOIN pg_catalog.pg_attribute ON attrelid = indrelid AND attnum = number), NULL, NULL
      FROM wanted JOIN pg_catalog.pg_index ON indrelid = id
      WHERE indisunique AND indisvalid AND indpred IS NULL AND indexprs IS NULL
    UNION ALL SELECT 'table', name, (relpersistence <> 'p')::text, row_security_active(id)::text,
        pg_has_role(relowner, 'USAGE')::text
      FROM wanted JOIN pg_catalog.pg_class c ON c.oid = id
    UNION ALL SELECT 'parent', name, NULL, NULL, NULL
      FROM wanted JOIN pg_catalog.pg_class c ON c.oid = id AND relkind = 'r'
      WHERE EXISTS (SELECT FROM pg_catalog.pg_inherits WHERE inhparent = id)
    UNION ALL SELECT 'database', current_setting('server_encoding'), (n.oid IS NOT NULL)::text,
        coalesce(has_schema_privilege(n.oid, 'CREATE'), has_database_privilege(current_database(), 'CREATE'))::text, NULL
      FROM (VALUES (1)) one LEFT JOIN pg_catalog.pg_namespace n ON nspname = ${schema}`;
};

/** What a database has, and what it lacks. */
export interface Inspected {
  /** Whether the table of users exists. */
  readonly exists: boolean;
  /** Whether this role may create what is missing: tables and their schema, and columns if it owns the table. */
  readonly mayCreate: boolean;
  /** What keeps the tables from being used, for operators. */
  readonly defects: readonly string[];
  /** What is missing, for operators, such as `table public.users` or `column id of public.users`. */
  readonly missing: readonly string[];
  /** Creates what is missing. */
  readonly statements: readonly string[];
  /** The tables and columns that exist. */
  readonly existing: readonly { readonly table: string; readonly columns: readonly string[] }[];
  /** The same for reads: queries that show missing tables as empty, and missing columns as NULL. */
  readonly readable: Tables;
}

/** An index is in the schema of its table, and named without it. */
const indexName = ({ users }: Tables, suffix: string): string => `${users.slice(users.indexOf('.') + 1, -1)}${suffix}"`;

const creation = (
  tables: Tables,
  { name, columns, primaryKey, options, indexes }: TableDefinition,
): readonly string[] => {
  const body = [...columns, `PRIMARY KEY (${primaryKey})`].join(',\n  ').replaceAll('@users', tables.users);
  return [
    `CREATE TABLE IF NOT EXISTS ${tables[name]} (\n  ${body}\n) ${options ?? ''}`.trim(),
    ...Object.entries(indexes ?? {}).map(
      ([suffix, on]) => `CREATE INDEX IF NOT EXISTS ${indexName(tables, suffix)} ON ${tables[name]} ${on}`,
    ),
  ];
};

const nullsFor = (columns: readonly Column[]): string =>
  columns.map(({ name, type }) => `NULL::${type} AS ${name}`).join(', ');

/** Compares the rows of the inspection with what this version needs. Without any, everything is missing. */
export const inspected = (tables: Tables, rows: readonly Row[]): Inspected => {
  const [, encoding = 'UTF8', hasSchema, mayCreateHere] = rows.find(([kind]) => kind === 'database') ?? [];
  const defects = encoding === 'UTF8' ? [] : [`the encoding of the database is ${encoding}, not UTF8`];
  const missing: string[] = [];
  const statements: string[] = [];
  const existing: Inspected['existing'][number][] = [];
  const readable = { ...tables };
  const mayCreateTables = mayCreateHere === 'true';
  let mayCreate = true;
  const lacks = (what: string, isAllowed: boolean, creating: readonly string[]): void => {
    missing.push(what);
    mayCreate &&= isAllowed;
    statements.push(...creating);
  };
  if (hasSchema !== 'true') {
    const schema = schemaOf(tables);
    // IF NOT EXISTS would need the right to create schemas also where it exists.
    const creates = `IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF`;
    lacks(`schema ${plainName(schema)}`, mayCreateTables, [`DO $$ BEGIN ${creates}; END $$`]);
  }
  for (const definition of tableDefinitions) {
    const { name, primaryKey } = definition;
    const table = tables[name];
    const columns = definition.columns.map(columnIn);
    const ofTable = rows.filter(([, of]) => of === name);
    const [, , isUnlogged, isFiltered, isOwner] = ofTable.find(([kind]) => kind === 'table') ?? [];
    const found = new Map(ofTable.flatMap(([kind, , column, ...type]) => (kind === 'column' ? [[column, type]] : [])));
    if (found.size === 0) {
      lacks(`table ${plainName(table)}`, mayCreateTables, creation(tables, definition));
      readable[name] = `(SELECT ${nullsFor(columns)} WHERE false)`;
      continue;
    }
    const absent = columns.filter((column) => !found.has(column.name));
    const present = columns.filter((column) => found.has(column.name));
    existing.push({ table, columns: present.map((column) => column.name) });
    for (const { name: column, definition: added } of absent)
      lacks(`column ${column} of ${plainName(table)}`, isOwner === 'true', [
        `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${added}`,
      ]);
    if (absent.length > 0) readable[name] = `(SELECT *, ${nullsFor(absent)} FROM ${table})`;
    for (const { name: column, type } of present) {
      const [stored, collation] = found.get(column) ?? [];
      const actual = type.includes('COLLATE') && collation ? `${stored} COLLATE "${collation}"` : stored;
      if (actual !== type) defects.push(`column ${column} of ${plainName(table)} is ${actual}, not ${type}`);
    }
    // Lost counts of wrong passwords do little harm.
    if (isUnlogged === 'true' && name !== 'attempts')
      defects.push(`${plainName(table)} is unlogged: a crash of the server would empty it`);
    if (isFiltered === 'true')
      defects.push(`${plainName(table)} has row level security, which may hide rows from this role`);
    if (ofTable.some(([kind]) => kind === 'parent'))
      defects.push(`${plainName(table)} has child tables, whose rows its unique key does not cover`);
    if (!ofTable.some(([kind, , key]) => kind === 'key' && key === primaryKey))
      defects.push(`${plainName(table)} has no unique key (${primaryKey})`);
  }
  const exists = existing.some(({ table }) => table === tables.users);
  return { exists, mayCreate, defects, missing, statements, existing, readable };
};
