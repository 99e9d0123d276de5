import {
  type AdapterContext,
  block,
  defineModule,
  flag,
  refine,
  required,
  type StorePorts,
  text,
  type Values,
  wholeNumber,
  withDefault,
} from 'latchkey/ports';
import { createPool } from 'mysql2/promise';
import { Database } from './database.ts';
import { toFault } from './errors.ts';
import { MariadbAttemptCounter } from './mariadb-attempt-counter.ts';
import { MariadbEventOutbox } from './mariadb-event-outbox.ts';
import { MariadbUserListing, MariadbUserSearch } from './mariadb-user-listing.ts';
import { MariadbUserStore } from './mariadb-user-store.ts';
import { TablePreparation } from './table-preparation.ts';
import { tablesOf } from './tables.ts';

const isUrl = (value: string): boolean => /^(?:mariadb|mysql):\/\//.test(value) && URL.canParse(value);

const configuration = block({
  connectionString: required(
    refine(text, isUrl, 'expected mariadb://USER:PASSWORD@HOST:PORT/DATABASE'),
    'Connection string used to access the database.',
  ),
  tableName: withDefault(
    refine(
      text,
      (name) => /^[a-z_][a-z0-9_]{0,49}$/.test(name),
      'expected at most 50 lower-case letters, digits and _',
    ),
    'users',
    'Name of the table. Those of names, events and attempts begin with it.',
  ),
  createTables: withDefault(flag, false, 'Whether to create missing tables and columns.'),
  poolSize: withDefault(wholeNumber(1, 1000), 10, 'Maximum number of connections.'),
});

const open = async (
  { connectionString, tableName, createTables, poolSize }: Values<typeof configuration.options>,
  { log, operationTimeoutMs, readOnly = false }: AdapterContext,
): Promise<StorePorts> => {
  const timeoutMs = Math.floor(operationTimeoutMs * 0.9);
  const pool = createPool({
    uri: connectionString,
    connectionLimit: poolSize,
    connectTimeout: Math.min(3_000, timeoutMs),
    // Values are escaped by the driver, never pasted into statements.
    multipleStatements: true,
  });
  const tables = tablesOf(tableName);
  const preparation = new TablePreparation(tables, createTables, readOnly);
  const database = new Database(pool, timeoutMs, readOnly, (session) => preparation.prepare(session));
  // Not awaited, because the service also starts while its database is down. Every call retries.
  database.prepare().catch((error) => log.warn({ reason: toFault(error).message }, 'the database is not ready'));
  const users = new MariadbUserStore(database, preparation);
  return {
    users,
    names: { find: (name) => users.findByName(name) },
    listing: new MariadbUserListing(database, preparation),
    search: new MariadbUserSearch(database, preparation),
    events: new MariadbEventOutbox(database, tables),
    attempts: async (limits) => new MariadbAttemptCounter(database, tables, limits),
  };
};

export default defineModule({ port: 'UserStore', portVersion: 3, type: 'mariadb', configuration, open });
