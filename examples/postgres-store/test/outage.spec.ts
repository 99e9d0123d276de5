import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import postgresStore from '../src/index.ts';
import { creation } from '../src/table.ts';
import { adapterContext, faultOf } from './adapter-context.ts';
import { ownServer } from './postgres.ts';
import { keyOfUser, userOf } from './users.ts';

const user = userOf('jane@example.com');
const key = keyOfUser(user);

const connected = async (connectionString: string): Promise<Client> => {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
};

/** Resolves when a session waits for a lock, or when none does. */
const untilWaiting = async (connectionString: string, expected: boolean): Promise<void> => {
  const client = await connected(connectionString);
  const query = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
  while (((await client.query(query)).rowCount !== 0) !== expected)
    await new Promise((resolve) => setTimeout(resolve, 20));
  await client.end();
};

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
