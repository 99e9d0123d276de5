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
import { PostgresUserStore } from './postgres-user-store.ts';
import { faultOf } from './trouble.ts';

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
  createTable: withDefault(flag, false, 'Whether a missing table is made.'),
  poolSize: withDefault(wholeNumber(1, 1000), 10, 'How many connections are open at most.'),
});

/** Prepares a new connection: only the primary is asked, an answer means that it is on the disk, and nothing runs on. */
const settle = async (client: ClientBase, deadline: number): Promise<void> => {
  const { rows } = await client.query<{ standby: boolean }>(
    `SELECT pg_is_in_recovery() AS standby, set_config('statement_timeout', $1, false),
       CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END`,
    [String(deadline)],
  );
  if (rows[0]?.standby) throw new Fault('store_unavailable', 'PostgreSQL: the server is a standby, which lags behind');
};

const open = async (
  { connectionString, tableName, createTable, poolSize }: Values<typeof configuration.options>,
  { log, operationTimeout }: AdapterContext,
): Promise<StorePorts> => {
  const deadline = Math.floor(operationTimeout * 0.9);
  const pool = new Pool({
    connectionString,
    max: poolSize,
    application_name: 'latchkey',
    keepAlive: true,
    connectionTimeoutMillis: Math.min(3_000, deadline),
    query_timeout: deadline,
    onConnect: (client) => settle(client, deadline),
  });
  // An idle connection that breaks would end the process if nobody listened.
  pool.on('error', (error) => log.warn({ reason: faultOf(error).message }, 'a connection of the database was lost'));
  const store = new PostgresUserStore(pool, { table: `"${tableName}"`, createTable, deadline });
  // Nobody waits for it: the service starts while its database is down, and every call asks for the table again.
  store.prepare().catch((error) => log.warn({ reason: faultOf(error).message }, 'the database is not ready yet'));
  return { users: store };
};

export default defineModule({ port: 'UserStore', portVersion: 2, type: 'postgres', configuration, open });
