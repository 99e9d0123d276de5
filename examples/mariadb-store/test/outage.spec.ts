import { expect } from 'chai';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import mariadbStore from '../src/index.ts';
import { columns } from '../src/tables.ts';
import { adapterContext, faultOf } from './adapter-context.ts';
import { ownServer } from './mariadb.ts';
import { keyOfUser, userOf } from './users.ts';

const user = userOf('jane@example.com');
const key = keyOfUser(user);

describe('An unavailable MariaDB server', () => {
  const server = ownServer();
  const options = () => ({ connectionString: server().url, tableName: 'users', createTables: true, poolSize: 10 });
  const connected = () => createConnection({ uri: server().url, multipleStatements: true });

  /** Resolves when no statement of the store is executed or waits. */
  const untilIdle = async (): Promise<void> => {
    const session = await connected();
    const busy = `SELECT 1 FROM information_schema.processlist WHERE command = 'Query' AND id <> CONNECTION_ID()`;
    while ((await session.query<RowDataPacket[]>(busy))[0].length > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await session.end();
  };

  it('allows several services to create the tables at once', async () => {
    const context = adapterContext();
    const stores = await Promise.all([1, 2, 3, 4].map(() => mariadbStore.open(options(), context)));
    for (const { users } of stores) await users.check();
    expect(context.lines).to.deep.equal([]);
    for (const { users } of stores) await users.close();
  });

  it('fails calls immediately while it is stopped, and serves them after a restart', async function () {
    this.timeout(30_000);
    const { users: store } = await mariadbStore.open(options(), adapterContext());
    await store.insert(user);
    await server().stop();
    for (const call of [() => store.find(key), () => store.insert(user), () => store.check()])
      expect((await faultOf(call())).code).to.equal('store_unavailable');
    await server().start();
    expect((await store.find(key))?.user).to.deep.equal(user);
    await store.close();
  });

  it('can be opened while it is stopped', async function () {
    this.timeout(30_000);
    await server().stop();
    const context = adapterContext();
    const { users: store } = await mariadbStore.open(options(), context);
    expect((await faultOf(store.check())).code).to.equal('store_unavailable');
    expect(context.lines.join()).to.include('the database is not ready');
    await server().start();
    expect(await store.check()).to.equal('table `users` can be read and written');
    await store.close();
  });

  it('interrupts a write that waits too long, so that it is not applied later', async () => {
    const { users: store } = await mariadbStore.open(options(), adapterContext(600));
    await store.check();
    const other = await connected();
    await other.query('LOCK TABLES users WRITE');
    const late = userOf('late@example.com');
    expect((await faultOf(store.insert(late))).code).to.equal('store_unavailable');
    expect((await faultOf(store.insert(late))).code).to.equal('store_unavailable');
    await untilIdle();
    await other.end();
    expect(await store.find(keyOfUser(late))).to.equal(undefined);
    await store.close();
  });

  it('counts waiting for a connection, so that nothing is applied after the call has failed', async () => {
    const { users: store } = await mariadbStore.open({ ...options(), poolSize: 1 }, adapterContext(1_000));
    const [first, late] = [userOf('first@example.com'), userOf('later@example.com')];
    await store.insert(first);
    // One session holds the row that the only connection waits for, another one the key of the late insert.
    const [holder, other] = [await connected(), await connected()];
    await holder.query('BEGIN; SELECT 1 FROM users WHERE address_key = ? FOR UPDATE', [keyOfUser(first)]);
    const copied = columns.replace('address_key', `'later@example.com'`);
    await other.query(`BEGIN; INSERT INTO users (${columns}) SELECT ${copied} FROM users WHERE address_key = ?`, [key]);
    const found = await store.find(keyOfUser(first));
    const started = performance.now();
    const until = (ms: number) => new Promise((resolve) => setTimeout(resolve, started + ms - performance.now()));
    const blocking = found && store.replace(found, first);
    const insert = faultOf(store.insert(late));
    await until(600);
    await holder.query('ROLLBACK');
    await blocking;
    expect((await insert).code).to.equal('store_unavailable');
    expect(performance.now() - started).to.be.below(1_000);
    // Earlier than a statement that got the whole timeout after the wait would end.
    await until(1_100);
    await untilIdle();
    await other.query('ROLLBACK');
    expect(await store.find(keyOfUser(late))).to.equal(undefined);
    for (const session of [holder, other]) await session.end();
    await store.close();
  });

  it('reports what to do without repeating the connection string', async () => {
    const wrong = [
      [
        { tableName: 'accounts', createTables: false },
        'the table does not exist; createTables: true creates it (1146)',
      ],
      [
        { connectionString: server().url.replace(/latchkey$/, 'a-secret') },
        'the user lacks access to the database (1044)',
      ],
      [
        { connectionString: server().url.replace('latchkey@', 'latchkey:a-secret@') },
        'authentication failed: the user or its password is wrong (1045)',
      ],
    ] as const;
    for (const [change, words] of wrong) {
      const { users: store } = await mariadbStore.open({ ...options(), ...change }, adapterContext());
      const fault = await faultOf(store.find(key));
      expect(`${fault.code}: ${fault.message}`).to.equal(`store_rejected: MariaDB: ${words}`);
      await store.close();
    }
  });

  it('is refused as a standby, because its data may be stale', async () => {
    const { users: store } = await mariadbStore.open(options(), adapterContext());
    await store.check();
    await server().administer('SET GLOBAL read_only = 1');
    expect((await faultOf(store.find(key))).message).to.include('standby');
    await server().administer('SET GLOBAL read_only = 0');
    await store.check();
    await store.close();
  });

  it('is used in the same way whatever its defaults are', async () => {
    await server().administer("SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES', GLOBAL autocommit = 0");
    const { users: store } = await mariadbStore.open(options(), adapterContext());
    const quoted = { ...userOf('quoted@example.com'), password: `\\' OR 1; -- "\0` };
    await store.insert(quoted);
    expect((await store.find(keyOfUser(quoted)))?.user).to.deep.equal(quoted);
    await store.close();
    await server().administer('SET GLOBAL sql_mode = DEFAULT, GLOBAL autocommit = 1');
  });

  it('is not written to if a power failure can undo its commits', async () => {
    const { users: store } = await mariadbStore.open(options(), adapterContext());
    await server().administer('SET GLOBAL innodb_flush_log_at_trx_commit = 2');
    const forgotten = userOf('forgotten@example.com');
    const fault = await faultOf(store.insert(forgotten));
    expect(`${fault.code}: ${fault.message}`).to.match(/^store_rejected: .* innodb_flush_log_at_trx_commit is 1$/);
    expect(await store.find(keyOfUser(forgotten))).to.equal(undefined);
    await server().administer('SET GLOBAL innodb_flush_log_at_trx_commit = 1');
    await store.close();
  });
});
