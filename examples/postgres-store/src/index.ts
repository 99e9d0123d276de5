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
import { Pool } from 'pg';
import { toFault } from './errors.ts';
import { PostgresUserStore } from './postgres-user-store.ts';
import { Transactions } from './transactions.ts';

const isUrl = (value: string): boolean => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);

const configuration = block({
  connectionString: required(
    refine(text, isUrl, 'expected postgresql://USER:PASSWORD@HOST:PORT/DATABASE'),
    'Connection string used to access the database.',
  ),
  tableName: withDefault(
    refine(
      text,
      (name) => /^[a-z_][a-z0-9_]{0,49}$/.test(name),
      'expected at most 50 lower-case letters, digits and _',
    ),
    'users',
    'Name of the table. That of the names of users, such as ids, ends in _names.',
  ),
  createTable: withDefault(flag, false, 'Whether to create missing tables and columns.'),
  poolSize: withDefault(wholeNumber(1, 1000), 10, 'Maximum number of connections.'),
});

const open = async (
  { connectionString, tableName, createTable, poolSize }: Values<typeof configuration.options>,
  { log, operationTimeoutMs, readOnly = false }: AdapterContext,
): Promise<StorePorts> => {
  const timeoutMs = Math.floor(operationTimeoutMs * 0.9);
  const pool = new Pool({
    connectionString,
    max: poolSize,
    application_name: 'latchkey',
    keepAlive: true,
    connectionTimeoutMillis: Math.min(3_000, timeoutMs),
  });
  // Without a listener, an error on an idle connection would end the process.
  pool.on('error', (error) => log.warn({ reason: toFault(error).message }, 'lost a database connection'));
  // The same for a connection in use: its query fails as well, and reports it.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const settings = { table: `"${tableName}"`, createTable, readOnly, timeoutMs, log };
  const store = new PostgresUserStore(new Transactions(pool, readOnly), settings);
  // Not awaited, because the service also starts while its database is down. Every call retries.
  store.prepare().catch((error) => log.warn({ reason: toFault(error).message }, 'the database is not ready'));
  return { users: store, names: { find: (name) => store.findByName(name) } };
};

export default defineModule({ port: 'UserStore', portVersion: 3, type: 'postgres', configuration, open });
