import { expect } from 'chai';
import { everyUser, MissingDatabase, type StorePorts } from 'latchkey/ports';
import { type Connection, createConnection } from 'mysql2/promise';
import mariadbStore from '../src/index.ts';
import { adapterContext, faultOf } from './adapter-context.ts';
import { mariadb, scratchTables } from './mariadb.ts';
import { keyOfUser, userOf } from './users.ts';

const user = userOf('jane@example.com');

const suite = (url: () => string): void => {
  let scratch: ReturnType<typeof scratchTables>;
  let dump: Connection;
  const opened: StorePorts[] = [];
  const open = async (readOnly = false, createTables = true): Promise<StorePorts['users']> => {
    const ports = await mariadbStore.open({ ...scratch.options, createTables }, { ...adapterContext(), readOnly });
    opened.push(ports);
    return ports.users;
  };
  const columnsOf = async (): Promise<readonly unknown[]> => {
    const query = `SELECT column_name AS name FROM information_schema.columns
      WHERE table_schema = DATABASE() AND table_name = '${scratch.options.tableName}'`;
    return (await scratch.run(query)).map(({ name }) => name);
  };
  /** Creates the tables with a user, as a former version did. */
  const createFormerTables = async (): Promise<void> => {
    await (await open()).insert(user);
    await scratch.run(`ALTER TABLE ${scratch.options.tableName} DROP COLUMN disabled_time`);
  };
  /** Reads in a transaction that stays open, as a dump does. */
  const beginDump = async (): Promise<void> => {
    await dump.query(`START TRANSACTION`);
    await dump.query(`SELECT address_key FROM ${scratch.options.tableName}`);
  };

  beforeEach(async () => {
    scratch = scratchTables(url());
    dump = await createConnection(url());
  });
  afterEach(async () => {
    await dump.end();
    for (const { users } of opened.splice(0)) await users.close();
    await scratch.drop();
  });

  it('are not locked by a start that has nothing to change, so that reads go on during a dump', async () => {
    const running = await open();
    await running.insert(user);
    await beginDump();
    await (await open()).check();
    expect(await running.find(keyOfUser(user))).to.have.property('user');
  });

  it('get missing columns after a dump, and reads of other processes hardly wait meanwhile', async () => {
    await createFormerTables();
    await beginDump();
    const starting = await open();
    const started = performance.now();
    const blocked = faultOf(starting.find(keyOfUser(user)));
    // It reads the key only, because the running process knows the removed column.
    const read = () => scratch.run(`SELECT address_key FROM ${scratch.options.tableName}`);
    await read();
    expect((await blocked).message).to.equal('MariaDB: a table is in use, so that it cannot be changed');
    expect((await faultOf(starting.find(keyOfUser(user)))).code).to.equal('store_unavailable');
    await read();
    expect(performance.now() - started).to.be.below(1_000);
    await dump.query('ROLLBACK');
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await starting.find(keyOfUser(user))).to.have.property('user');
  });

  it('are neither created nor changed, but read, for a command that only reads', async () => {
    expect(await faultOf((await open(true)).check())).to.be.an.instanceOf(MissingDatabase);
    expect(await columnsOf()).to.deep.equal([]);
    await createFormerTables();
    const before = await columnsOf();
    const looking = await open(true);
    const line = `table \`${scratch.options.tableName}\` can be read`;
    expect(await looking.check()).to.equal(`${line}; the service adds disabled_time`);
    const found = await looking.find(keyOfUser(user));
    expect(found?.user).to.deep.equal(user);
    expect(found && (await faultOf(looking.remove(found))).message).to.include('the transaction is read-only');
    expect(await columnsOf()).to.deep.equal(before);
    await (await open()).check();
    expect(await (await open(true)).check()).to.equal(line);
  });

  it('are not changed without createTables', async () => {
    await createFormerTables();
    const before = await columnsOf();
    const fault = await faultOf((await open(false, false)).find(keyOfUser(user)));
    expect(fault.message).to.include('the table lacks a column; createTables: true adds it');
    expect(await columnsOf()).to.deep.equal(before);
  });

  it('may have damaged rows, which are reported where they are meant', async () => {
    const store = await open();
    for (const address of ['a@example.com', 'b@example.com', 'c@example.com']) await store.insert(userOf(address));
    const { tableName } = scratch.options;
    await scratch.run(`UPDATE ${tableName} SET names = '[' WHERE address_key = 'a@example.com'`);
    await scratch.run(`UPDATE ${tableName} SET properties = '[]' WHERE address_key = 'b@example.com'`);
    for (const address of ['a@example.com', 'b@example.com'])
      expect((await faultOf(store.find(keyOfUser(userOf(address))))).code).to.equal('store_rejected');
    const page = await opened[0]?.listing?.list({ ...everyUser, limit: 10, after: undefined });
    expect(page?.users.map(({ email }) => email.address)).to.deep.equal(['a@example.com', 'c@example.com']);
    expect(page?.unreadable).to.have.length(1);
  });

  it('tell keys apart that other collations take for the same', async () => {
    const store = await open();
    const addresses = ['jose@example.com', 'josé@example.com', 'ﬁ@example.com', 'fi@example.com'];
    for (const address of addresses) expect(await store.insert(userOf(address))).to.have.property('version');
    for (const address of addresses)
      expect((await store.find(keyOfUser(userOf(address))))?.user.email.address).to.equal(address);
  });
};

describe('The tables', () => {
  const url = mariadb();
  // A nested block, so that its hooks are skipped without MariaDB.
  describe('of the store', () => suite(url));
});
