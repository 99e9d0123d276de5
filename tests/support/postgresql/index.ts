import { skipSuite } from '../engines/skipped-suites.ts';
import { PostgresServer } from './server.ts';

let shared: Promise<PostgresServer> | undefined;

const skipOrFail = (hook: Mocha.Context, error: unknown): never => {
  skipSuite(hook, `postgresql needs Debian's package, or POSTGRESQL_URL (${error})`);
  throw error;
};

/** Requests a shared PostgreSQL for a suite: the one at POSTGRESQL_URL, or one of this process. The function gives its URL. */
export const postgresqlUrl = (): (() => string) => {
  let url = process.env.POSTGRESQL_URL;
  before('wait for PostgreSQL', async function () {
    this.timeout(60_000);
    if (url !== undefined) return;
    shared ??= PostgresServer.create();
    url = await shared.then(
      (server) => server.url,
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
