import {
  type AdapterContext,
  block,
  defineModule,
  Fault,
  flag,
  refine,
  required,
  type StorePorts,
  text,
  type Values,
  wholeNumber,
  withDefault,
} from 'latchkey/ports';
import { type ClientBase, Pool } from 'pg';
import { toFault } from './errors.ts';
import { PostgresUserStore } from './postgres-user-store.ts';

const isUrl = (value: string): boolean => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);

const configuration = block({
  connectionString: required(
    refine(text, isUrl, 'expected postgresql://USER:PASSWORD@HOST:PORT/DATABASE'),
    'Connection string used to access the database.',
  ),
  tableName: withDefault(
    refine(text, (name) => /^[a-z_][a-z0-9_]{0,62}$/.test(name), 'expected lower-case letters, digits and _'),
    'users',
    'Name of the table.',
  ),
  createTable: withDefault(flag, false, 'Whether to create a missing table.'),
  poolSize: withDefault(wholeNumber(1, 1000), 10, 'Maximum number of connections.'),
});

/** Prepares a connection: requires the primary, sets the statement timeout, and ensures that commits are flushed. */
const prepareConnection = async (client: ClientBase, timeoutMs: number): Promise<void> => {
  const { rows } = await client.query<{ standby: boolean }>(
    `SELECT pg_is_in_recovery() AS standby, set_config('statement_timeout', $1, false),
       CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END`,
    [String(timeoutMs)],
  );
  if (rows[0]?.standby)
    throw new Fault('store_unavailable', 'PostgreSQL: the server is a standby, which may return stale data');
};

const open = async (
  { connectionString, tableName, createTable, poolSize }: Values<typeof configuration.options>,
  { log, operationTimeoutMs }: AdapterContext,
): Promise<StorePorts> => {
  const timeoutMs = Math.floor(operationTimeoutMs * 0.9);
  const pool = new Pool({
    connectionString,
    max: poolSize,
    application_name: 'latchkey',
    keepAlive: true,
    connectionTimeoutMillis: Math.min(3_000, timeoutMs),
    query_timeout: timeoutMs,
    onConnect: (client) => prepareConnection(client, timeoutMs),
  });
  // Without a listener, an error on an idle connection would end the process.
  pool.on('error', (error) => log.warn({ reason: toFault(error).message }, 'lost a database connection'));
  const store = new PostgresUserStore(pool, { table: `"${tableName}"`, createTable, timeoutMs });
  // Not awaited, because the service also starts while its database is down. Every call retries.
  store.prepare().catch((error) => log.warn({ reason: toFault(error).message }, 'the database is not ready'));
  return { users: store };
};

export default defineModule({ port: 'UserStore', portVersion: 2, type: 'postgres', configuration, open });
