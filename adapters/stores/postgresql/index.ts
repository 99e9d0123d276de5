import type { Fault } from '../../../application/fault.ts';
import type { StorePorts } from '../../../application/ports/user-store.ts';
import { type AdapterContext, callTimeoutMs, defineAdapter, type Migration } from '../../kit/definition.ts';
import { block, optional, required, type Values, withDefault } from '../../kit/option-block.ts';
import {
  type Codec,
  certificateFile,
  choice,
  duration,
  list,
  refine,
  refused,
  text,
  wholeNumber,
} from '../../kit/option-codecs.ts';
import { inspected, schemaOf } from './catalogue.ts';
import { parseConnectionString, serversOf, syntax } from './connection-string.ts';
import { toFault } from './errors.ts';
import { openAttemptCounter } from './postgresql-attempt-counter.ts';
import { Connection } from './postgresql-connection.ts';
import { Database } from './postgresql-database.ts';
import { PostgresqlEventOutbox } from './postgresql-event-outbox.ts';
import { tablesIn } from './postgresql-schema.ts';
import { PostgresqlUserListing } from './postgresql-user-listing.ts';
import { PostgresqlUserSearch } from './postgresql-user-search.ts';
import { PostgresqlUserStore } from './postgresql-user-store.ts';

/** SQL for psql. If a statement fails, none of them changes anything. */
const scriptOf = ({ tables }: Database, statements: readonly string[]): string => {
  const granted = Object.values(tables).join(', ');
  const transaction = ['BEGIN', ...statements, 'COMMIT'].map((statement) => `${statement};`);
  return [
    ...(statements.length === 0 ? ['-- Nothing is missing.'] : transaction),
    '-- The role of the service needs no more than this, here named latchkey:',
    `-- GRANT USAGE ON SCHEMA ${schemaOf(tables)} TO latchkey;`,
    `-- GRANT SELECT, INSERT, UPDATE, DELETE ON ${granted} TO latchkey;`,
    '',
  ].join('\n');
};

/** Compares a database with what this version needs, whatever its service may do. */
const openMigration = async (database: Database): Promise<Migration> => {
  const { preparation, tables } = database;
  let failure: Fault | undefined;
  const found = await preparation.inspect().catch((error: unknown) => {
    failure = toFault(error);
    return inspected(tables, []);
  });
  return {
    missing: found.missing,
    script: scriptOf(database, found.statements),
    failure,
    create: () => preparation.create(found),
    close: () => database.close(),
  };
};

/** A name that needs no quotes in other programs, and leaves room for the suffixes of further tables and indexes. */
const identifier = refine(
  text,
  (name) => /^[a-z_][a-z0-9_]{0,49}$/.test(name),
  'expected at most 50 lower-case letters, digits and _, without a digit first',
);

const connectionString: Codec<string> = {
  ...text,
  decode: (value) => {
    const target = text.is(value) ? parseConnectionString(value) : syntax;
    return typeof target === 'string' ? refused(target) : text.decode(value);
  },
};

const options = {
  connectionString: required(
    connectionString,
    'The connection string, with all hosts of a primary and its standbys: postgresql://user:password@host1:5432,host2:5432/database. Connections to other machines are encrypted and verified, unless it ends with ?sslmode=disable.',
  ),
  caFile: optional(certificateFile, 'The trusted certificates; by default those of Node.js.'),
  passwordFile: optional(text, 'A file with the password. It is read for every new connection.'),
  passwordCommand: optional(
    refine(list(text), (words) => words.length > 0, 'expected a program and its arguments'),
    'A program and its arguments, which prints the password. It runs for every new connection, without a shell.',
  ),
  schema: withDefault(identifier, 'public', 'The schema of the tables.'),
  table: withDefault(identifier, 'latchkey_users', 'The table of the users. Further tables begin with its name.'),
  poolSize: withDefault(wholeNumber(1, 1000), 10, 'The most connections of a process.'),
  statementTimeout: optional(
    duration,
    'How long the server executes a statement; by default, and at most, as long as the operation that waits for it.',
  ),
  migrate: withDefault(
    choice(['auto', 'never']),
    'auto',
    'Whether the service creates missing tables and columns, or leaves that to `latchkey migrate`.',
  ),
};

const configuration = block(options, (values) => {
  const target = parseConnectionString(values.connectionString);
  const inString = typeof target === 'string' ? undefined : target.password;
  const sources = [inString, values.passwordFile, values.passwordCommand];
  if (sources.filter((source) => (source ?? null) !== null).length < 2) return [];
  const path = values.passwordCommand === null ? 'passwordFile' : 'passwordCommand';
  const message = 'there is another password already; write one of connectionString, passwordFile and passwordCommand';
  return [{ path, message }];
});

const openDatabase = (
  { schema, table, poolSize, statementTimeout, migrate, ...target }: Values<typeof options>,
  context: AdapterContext,
): Database => {
  const { log, operationTimeoutMs, workers = 1 } = context;
  const timeoutMs = callTimeoutMs(operationTimeoutMs);
  const passwordChanges = target.passwordFile !== null || target.passwordCommand !== null;
  const servers = serversOf(target);
  const connection = new Connection({ servers, passwordChanges, poolSize, timeoutMs }, log);
  // Each of several servers is asked on a connection of its own.
  const connections = workers * (servers.length === 1 ? poolSize : poolSize + 1);
  const preparation = { ...context, migrates: migrate === 'auto', connections };
  const tables = tablesIn(schema, table);
  return new Database(tables, timeoutMs, connection, preparation, statementTimeout ?? Number.POSITIVE_INFINITY);
};

const open = async (values: Values<typeof options>, context: AdapterContext): Promise<StorePorts> => {
  const { log, clock, readOnly } = context;
  const database = openDatabase(values, context);
  const users = new PostgresqlUserStore(database, clock);
  // In the background: the service also starts while its database is down, and every call prepares what is missing.
  if (!readOnly)
    database.preparation
      .done()
      .catch(({ message }: Error) => log.warn({ reason: message }, 'the database is not ready'));
  return {
    users,
    names: { find: (name) => users.findByName(name) },
    listing: new PostgresqlUserListing(database),
    search: new PostgresqlUserSearch(database),
    events: new PostgresqlEventOutbox(database, log),
    attempts: async (limits) => openAttemptCounter(database, limits),
  };
};

/** Tables in a PostgreSQL database, for a service on several machines. */
export const postgresql = defineAdapter({
  type: 'postgresql',
  configuration,
  open,
  migration: (values, context) => openMigration(openDatabase(values, context)),
});
