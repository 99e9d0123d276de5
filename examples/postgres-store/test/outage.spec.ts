import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import postgresStore from '../src/index.ts';
import { columns, creation } from '../src/table.ts';
import { adapterContext, faultOf } from './adapter-context.ts';
import { ownServer } from './postgres.ts';
import { connected, untilWaiting } from './sessions.ts';
import { keyOfUser, userOf } from './users.ts';

const user = userOf('jane@example.com');
const key = keyOfUser(user);

describe('An unavailable PostgreSQL server', () => {
  const server = ownServer();
  const options = () => ({ connectionString: server().url, tableName: 'users', createTable: true, poolSize: 10 });

  it('allows several services to create the table at once', async () => {
    const other = await connected(server().url);
    await other.query(`BEGIN; ${creation('users')}`);
    const context = adapterContext();
    const { users: store } = await postgresStore.open(options(), context);
    await untilWaiting(server().url, true);
    await other.query('COMMIT');
    await other.end();
    await store.check();
    expect(context.lines).to.deep.equal([]);
    await store.close();
  });

  it('fails calls immediately while it is stopped, and serves them after a restart', async function () {
    this.timeout(30_000);
    const context = adapterContext();
    const { users: store } = await postgresStore.open(options(), context);
    await store.insert(user);
    await server().stop();
    for (const call of [() => store.find(key), () => store.insert(user), () => store.check()])
      expect((await faultOf(call())).code).to.equal('store_unavailable');
    await server().start();
    expect((await store.find(key))?.user).to.deep.equal(user);
    expect(context.lines).to.not.be.empty;
    await store.close();
  });

  it('can be opened while it is stopped', async function () {
    this.timeout(30_000);
    await server().stop();
    const { users: store } = await postgresStore.open(options(), adapterContext());
    expect((await faultOf(store.check())).code).to.equal('store_unavailable');
    await server().start();
    expect(await store.check()).to.equal('table "users" can be read and written');
    await store.close();
  });

  it('cancels a write that waits too long, so that it is not applied later', async () => {
    const { users: store } = await postgresStore.open(options(), adapterContext(600));
    const other = await connected(server().url);
    await other.query('BEGIN; LOCK TABLE users');
    const late = userOf('late@example.com');
    expect((await faultOf(store.insert(late))).code).to.equal('store_unavailable');
    await untilWaiting(server().url, false);
    await other.query('ROLLBACK');
    await other.end();
    expect(await store.find(keyOfUser(late))).to.equal(undefined);
    await store.close();
  });

  it('counts waiting for a connection, so that nothing is applied after the call has failed', async () => {
    const { users: store } = await postgresStore.open({ ...options(), poolSize: 1 }, adapterContext(1_000));
    const [first, late] = [userOf('first@example.com'), userOf('later@example.com')];
    await store.insert(first);
    // One session holds the row that the only connection waits for, another one the key of the late insert.
    const [holder, other] = [await connected(server().url), await connected(server().url)];
    await holder.query(`BEGIN; UPDATE users SET version = version WHERE key = '${keyOfUser(first)}'`);
    await other.query('BEGIN');
    await other.query(
      `INSERT INTO users (key, ${columns}) SELECT 'later@example.com', ${columns} FROM users WHERE key = $1`,
      [keyOfUser(first)],
    );
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
    await other.query('ROLLBACK');
    await untilWaiting(server().url, false);
    expect(await store.find(keyOfUser(late))).to.equal(undefined);
    for (const session of [holder, other]) await session.end();
    await store.close();
  });

  it('reports what to do without repeating the connection string', async () => {
    const wrong = [
      [{ tableName: 'accounts', createTable: false }, 'the table does not exist; createTable: true creates it (42P01)'],
      [{ connectionString: server().url.replace('/postgres', '/a-secret') }, 'the database does not exist (3D000)'],
      [{ connectionString: server().url.replace('latchkey@', 'a-secret:x@') }, 'authentication failed (28000)'],
    ] as const;
    for (const [change, words] of wrong) {
      const { users: store } = await postgresStore.open({ ...options(), ...change }, adapterContext());
      const fault = await faultOf(store.find(key));
      expect(`${fault.code}: ${fault.message}`).to.equal(`store_rejected: PostgreSQL: ${words}`);
      await store.close();
    }
  });

  it('is refused as a standby, because its data may be stale', async function () {
    this.timeout(30_000);
    await server().stop();
    writeFileSync(join(server().data, 'standby.signal'), '');
    await server().start();
    const { users: store } = await postgresStore.open({ ...options(), createTable: false }, adapterContext());
    expect((await faultOf(store.find(key))).message).to.include('standby');
    await store.close();
  });
});
