import { expect } from 'chai';
import { isTaken, MissingDatabase, type UserStore } from 'latchkey/ports';
import { type Client, Pool } from 'pg';
import postgresStore from '../src/index.ts';
import { PostgresUserStore } from '../src/postgres-user-store.ts';
import { Transactions } from '../src/transactions.ts';
import { adapterContext, faultOf } from './adapter-context.ts';
import { postgres, scratchTable } from './postgres.ts';
import { connected } from './sessions.ts';
import { keyOfUser, userOf } from './users.ts';

const user = userOf('jane@example.com');

const suite = (url: () => string): void => {
  let scratch: ReturnType<typeof scratchTable>;
  let session: Client;
  const opened: UserStore[] = [];
  const open = async (readOnly = false): Promise<UserStore> => {
    const { users } = await postgresStore.open(scratch.options, { ...adapterContext(), readOnly });
    opened.push(users);
    return users;
  };
  const columnsOf = async (): Promise<readonly string[]> => {
    const query = `SELECT attname || ' ' || coalesce(collname, '') AS line FROM pg_attribute
      LEFT JOIN pg_collation c ON c.oid = attcollation WHERE attrelid = to_regclass($1) AND attnum > 0 ORDER BY attnum`;
    const { rows } = await session.query<{ line: string }>(query, [scratch.options.tableName]);
    return rows.map(({ line }) => line);
  };
  /** Creates the table with a user, as a former version did. */
  const createFormerTable = async (): Promise<void> => {
    await (await open()).insert(user);
    const { tableName } = scratch.options;
    await session.query(`ALTER TABLE ${tableName} DROP COLUMN disabled_time, ALTER key TYPE text COLLATE "default"`);
  };

  beforeEach(async () => {
    scratch = scratchTable(url());
    session = await connected(url());
  });
  afterEach(async () => {
    await session.end();
    for (const store of opened.splice(0)) await store.close();
    await scratch.drop();
  });

  it('is not locked by a start that has nothing to change, so that reads go on during a dump', async () => {
    const running = await open();
    await running.insert(user);
    await session.query(`BEGIN; SELECT * FROM ${scratch.options.tableName}`);
    const starting = await open();
    await starting.check();
    expect(await running.find(keyOfUser(user))).to.have.property('user');
  });

  it('gets missing columns after a dump, and reads of other processes hardly wait meanwhile', async () => {
    const running = await open();
    await createFormerTable();
    await session.query(`BEGIN; SELECT * FROM ${scratch.options.tableName}`);
    const starting = await open();
    const blocked = faultOf(starting.find(keyOfUser(user)));
    // It reads the key only, because the running process knows the removed column.
    const dump = await connected(url());
    const started = performance.now();
    await dump.query(`SELECT key FROM ${scratch.options.tableName}`);
    expect((await blocked).message).to.equal('PostgreSQL: the table is in use, so that it cannot be changed (55P03)');
    expect((await faultOf(starting.find(keyOfUser(user)))).code).to.equal('store_unavailable');
    await dump.query(`SELECT key FROM ${scratch.options.tableName}`);
    expect(performance.now() - started).to.be.below(1_000);
    await dump.end();
    await session.query('ROLLBACK');
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await starting.find(keyOfUser(user))).to.have.property('user');
    expect(await running.find(keyOfUser(user))).to.have.property('user');
  });

  it('has a key that compares bytes, also if a former version has created it', async () => {
    await createFormerTable();
    expect((await columnsOf())[0]).to.equal('key default');
    await (await open()).check();
    expect((await columnsOf())[0]).to.equal('key C');
  });

  it('is neither created nor changed, but read, for a command that only looks', async () => {
    expect(await faultOf((await open(true)).check())).to.be.an.instanceOf(MissingDatabase);
    expect(await columnsOf()).to.deep.equal([]);
    await createFormerTable();
    const before = await columnsOf();
    const looking = await open(true);
    const line = `table "${scratch.options.tableName}" can be read`;
    expect(await looking.check()).to.equal(`${line}; the service adds disabled_time`);
    const found = await looking.find(keyOfUser(user));
    expect(found?.user).to.deep.equal(user);
    expect(found && (await faultOf(looking.remove(found))).message).to.include('the server is read-only');
    expect(await columnsOf()).to.deep.equal(before);
    const { users: refused } = await postgresStore.open(
      { ...scratch.options, createTable: false },
      { ...adapterContext(), readOnly: true },
    );
    opened.push(refused);
    expect((await faultOf(refused.check())).message).to.include('the table lacks a column; createTable: true adds it');
    await (await open()).check();
    expect(await (await open(true)).check()).to.equal(line);
  });

  it('is used in sessions whose settings stay, because a pooler gives them to other clients', async () => {
    const pool = new Pool({ connectionString: url(), max: 1 });
    const settings = async (): Promise<unknown> => {
      const { rows } = await pool.query('SELECT name, setting FROM pg_settings ORDER BY name');
      return rows;
    };
    const before = await settings();
    const { tableName, createTable } = scratch.options;
    const { log, operationTimeoutMs: timeoutMs } = adapterContext();
    const store = new PostgresUserStore(new Transactions(pool, false), {
      table: tableName,
      createTable,
      readOnly: false,
      timeoutMs,
      log,
    });
    const stored = await store.insert(user);
    expect(!isTaken(stored) && (await store.remove(stored))).to.equal('removed');
    expect(await settings()).to.deep.equal(before);
    await store.close();
  });
};

describe('The table', () => {
  const url = postgres();
  // A nested block, so that its hooks are skipped without PostgreSQL.
  describe('of the store', () => suite(url));
});
