import { Client } from 'pg';
import { PostgresServer } from './server.ts';

let started: Promise<PostgresServer> | undefined;

after('stop PostgreSQL', async () => {
  await (await started?.catch(() => undefined))?.dispose();
});

let reported = false;

/** Skips the suite of a hook, or fails it if engines are required. */
const skipOrFail = (hook: Mocha.Context, reason: unknown): never => {
  if (process.env.REQUIRE_ENGINES === '1') throw reason;
  if (!reported)
    process.once('exit', () => console.error(`SKIPPED: tests that need PostgreSQL did not run (${reason}).`));
  reported = true;
  return hook.skip();
};

/** Provides PostgreSQL in a `describe`: the one at POSTGRES_URL, or a new one. The returned function gives its URL. */
export const postgres = (): (() => string) => {
  let url: string | undefined = process.env.POSTGRES_URL;
  before('wait for PostgreSQL', async function () {
    this.timeout(60_000);
    if (url !== undefined) return;
    started ??= PostgresServer.create();
    url = await started.then(
      (server) => server.url,
      (reason) => skipOrFail(this, reason),
    );
  });
  return () => url ?? '';
};

/** Provides a server that a suite may stop and start. */
export const ownServer = (): (() => PostgresServer) => {
  let server: PostgresServer | undefined;
  before('start a separate PostgreSQL', async function () {
    this.timeout(60_000);
    server = await PostgresServer.create().catch((reason) => skipOrFail(this, reason));
  });
  after(() => server?.dispose());
  return () => {
    if (server === undefined) throw new Error('the server exists only in hooks and tests');
    return server;
  };
};

let tables = 0;

/** Options for a new table; `drop` removes it. */
export const scratchTable = (connectionString: string) => {
  tables += 1;
  const tableName = `users_${process.pid}_${tables}`;
  const drop = async (): Promise<void> => {
    const client = new Client({ connectionString });
    await client.connect();
    await client.query(`DROP TABLE IF EXISTS ${tableName}_names, ${tableName}`);
    await client.end();
  };
  return { options: { connectionString, tableName, createTable: true, poolSize: 10 }, drop };
};
