import { skipSuite } from '../engines/skipped-suites.ts';
import { PgBouncer } from './pgbouncer.ts';
import { PostgresServer } from './server.ts';

let shared: Promise<PostgresServer> | undefined;
let pooler: Promise<PgBouncer> | undefined;

const skipOrFail = (hook: Mocha.Context, error: unknown): never => {
  skipSuite(hook, `postgresql needs Debian's package, or POSTGRESQL_URL (${error})`);
  throw error;
};

const sharedServer = (): Promise<PostgresServer> => {
  shared ??= PostgresServer.create();
  return shared;
};

const sharedPooler = (): Promise<PgBouncer> => {
  pooler ??= sharedServer().then((server) => PgBouncer.before(server));
  return pooler;
};

/**
 * Requests a shared PostgreSQL for a suite: the one at POSTGRESQL_URL, or one of this process, which has the programs in the
 * folder POSTGRESQL_BIN if there is such a variable. With POSTGRESQL_POOLER=1, or for a suite about it, PgBouncer is in front.
 * The function gives its URL.
 */
export const postgresqlUrl = (isPooled = process.env.POSTGRESQL_POOLER === '1'): (() => string) => {
  let url = isPooled ? undefined : process.env.POSTGRESQL_URL;
  before('wait for PostgreSQL', async function () {
    this.timeout(60_000);
    if (url !== undefined) return;
    const server = isPooled ? sharedPooler() : sharedServer();
    url = await server.then(
      (started) => started.url,
      (error) => skipOrFail(this, error),
    );
  });
  return () => {
    if (url === undefined) throw new Error('the URL of PostgreSQL is only available in hooks and tests');
    return url;
  };
};

/** Requests a server that the suite may stop and start. */
export const privatePostgresql = (): (() => PostgresServer) => {
  let server: PostgresServer | undefined;
  before('start a private PostgreSQL', async function () {
    this.timeout(60_000);
    server = await PostgresServer.create().catch((error) => skipOrFail(this, error));
  });
  after('remove the private PostgreSQL', () => server?.dispose());
  return () => {
    if (server === undefined) throw new Error('the private PostgreSQL is only available in hooks and tests');
    return server;
  };
};
