import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { MariadbServer } from './server.ts';

let started: Promise<MariadbServer> | undefined;

after('stop MariaDB', async () => {
  await (await started?.catch(() => undefined))?.dispose();
});

let reported = false;

/** Skips the suite of a hook, or fails it if engines are required. */
const skipOrFail = (hook: Mocha.Context, reason: unknown): never => {
  if (process.env.REQUIRE_ENGINES === '1') throw reason;
  if (!reported) process.once('exit', () => console.error(`SKIPPED: tests that need MariaDB did not run (${reason}).`));
  reported = true;
  return hook.skip();
};

/** Provides MariaDB in a `describe`: the one at MARIADB_URL, or a new one. The returned function gives its URL. */
export const mariadb = (): (() => string) => {
  let url: string | undefined = process.env.MARIADB_URL;
  before('wait for MariaDB', async function () {
    this.timeout(60_000);
    if (url !== undefined) return;
    started ??= MariadbServer.create();
    url = await started.then(
      (server) => server.url,
      (reason) => skipOrFail(this, reason),
    );
  });
  return () => url ?? '';
};

/** Provides a server that a suite may stop and start. */
export const ownServer = (): (() => MariadbServer) => {
  let server: MariadbServer | undefined;
  before('start a separate MariaDB', async function () {
    this.timeout(60_000);
    server = await MariadbServer.create().catch((reason) => skipOrFail(this, reason));
  });
  after(() => server?.dispose());
  return () => {
    if (server === undefined) throw new Error('the server exists only in hooks and tests');
    return server;
  };
};

let tables = 0;

/** Options for new tables; `run` executes a statement, and `drop` removes the tables. */
export const scratchTables = (connectionString: string) => {
  tables += 1;
  const tableName = `users_${process.pid}_${tables}`;
  const run = async (sql: string): Promise<readonly RowDataPacket[]> => {
    const connection = await createConnection(connectionString);
    const [rows] = await connection.query<RowDataPacket[]>(sql);
    await connection.end();
    return rows;
  };
  const drop = async (): Promise<void> => {
    const names = ['_names', '_events', '_attempts', ''].map((suffix) => `${tableName}${suffix}`);
    await run(`DROP TABLE IF EXISTS ${names.join(', ')}`);
  };
  return { options: { connectionString, tableName, createTables: true, poolSize: 10 }, run, drop };
};
