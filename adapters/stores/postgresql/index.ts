import type { StorePorts } from '../../../application/ports/user-store.ts';
import { type AdapterContext, callTimeoutMs, defineAdapter } from '../../kit/definition.ts';
import { block, required, type Values, withDefault } from '../../kit/option-block.ts';
import { refine, text, wholeNumber } from '../../kit/option-codecs.ts';
import { Connection } from './connection.ts';
import { Database } from './database.ts';
import { PostgresqlEventOutbox } from './postgresql-event-outbox.ts';
import { PostgresqlUserListing } from './postgresql-user-listing.ts';
import { PostgresqlUserSearch } from './postgresql-user-search.ts';
import { PostgresqlUserStore } from './postgresql-user-store.ts';
import { prepareTables } from './preparation.ts';
import { tablesIn } from './schema.ts';

/** A name that needs no quotes in other programs, and leaves room for the suffixes of further tables and indexes. */
const identifier = refine(
  text,
  (name) => /^[a-z_][a-z0-9_]{0,49}$/.test(name),
  'expected at most 50 lower-case letters, digits and _, without a digit first',
);

const configuration = block({
  connectionString: required(text, 'The connection string.'),
  schema: withDefault(identifier, 'public', 'The schema of the tables.'),
  table: withDefault(identifier, 'latchkey_users', 'The table of the users. Further tables begin with its name.'),
  poolSize: withDefault(wholeNumber(1, 1000), 10, 'The most connections of a process.'),
});

const open = async (
  { connectionString, schema, table, poolSize }: Values<typeof configuration.options>,
  { log, operationTimeoutMs }: AdapterContext,
): Promise<StorePorts> => {
  const timeoutMs = callTimeoutMs(operationTimeoutMs);
  const connection = new Connection({ servers: [{ connectionString }], poolSize, timeoutMs }, log);
  const database = new Database(tablesIn(schema, table), timeoutMs, connection, prepareTables);
  const users = new PostgresqlUserStore(database);
  // In the background: the service also starts while its database is down, and every call prepares what is missing.
  database.prepare().catch(({ message }: Error) => log.warn({ reason: message }, 'the database is not ready'));
  return {
    users,
    names: { find: (name) => users.findByName(name) },
    listing: new PostgresqlUserListing(database),
    search: new PostgresqlUserSearch(database),
    events: new PostgresqlEventOutbox(database, { mayExpire: async () => true }, log),
    attempts: async (limits) => (await import('./postgresql-attempt-counter.ts')).openAttemptCounter(database, limits),
  };
};

/** Tables in a PostgreSQL database, for a service on several machines. */
export const postgresql = defineAdapter({ type: 'postgresql', configuration, open });
