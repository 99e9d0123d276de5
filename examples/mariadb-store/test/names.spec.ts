import { expect } from 'chai';
import { isTaken, isUserName, type Reservation, type StoredUser, type StorePorts, type UserName } from 'latchkey/ports';
import { createConnection } from 'mysql2/promise';
import mariadbStore from '../src/index.ts';
import { adapterContext } from './adapter-context.ts';
import { mariadb, scratchTables } from './mariadb.ts';
import { keyOfUser, userOf } from './users.ts';

const nameOf = (text: string): UserName => {
  if (!isUserName(text)) throw new TypeError('not a name');
  return text;
};
const [id, jane, joan] = [nameOf('id 1'), nameOf('property nick jane'), nameOf('property nick joan')];

const suite = (url: () => string): void => {
  let scratch: ReturnType<typeof scratchTables>;
  let store: StorePorts;
  beforeEach(async () => {
    scratch = scratchTables(url());
    store = await mariadbStore.open(scratch.options, adapterContext());
    await store.users.check();
  });
  afterEach(async () => {
    await store.users.close();
    await scratch.drop();
  });

  const entries = async (): Promise<readonly string[]> => {
    const line = `CONVERT(CONCAT(name, ' of ', IFNULL(address_key, 'none')) USING utf8mb4)`;
    const rows = await scratch.run(`SELECT ${line} AS line FROM ${scratch.options.tableName}_names ORDER BY name`);
    return rows.map((row) => String(row.line));
  };
  const inserted = async (address: string, names: readonly UserName[]): Promise<StoredUser> => {
    const stored = await store.users.insert(userOf(address), { names });
    if (isTaken(stored)) throw new Error(`${stored.taken} is taken`);
    return stored;
  };
  const reserved = async (key: UserName): Promise<Reservation> => {
    const reservation = await store.users.reserve(key);
    if (reservation === 'taken') throw new Error(`${key} is taken`);
    return reservation;
  };

  it('follow their user to another address, and go with it', async () => {
    const stored = await inserted('jane@example.com', [id, jane]);
    const moved = await store.users.replace(stored, userOf('moved@example.com'), { names: [id, joan] });
    expect(await entries()).to.deep.equal([`${id} of moved@example.com`, `${joan} of moved@example.com`]);
    expect(await store.names?.find(joan)).to.deep.equal(moved);
    if (typeof moved === 'string' || isTaken(moved)) throw new Error('the user did not move');
    expect(await store.users.remove(moved)).to.equal('removed');
    expect(await entries()).to.deep.equal([]);
  });

  it('are not taken by a write that fails, which ends no reservation either', async () => {
    const stored = await inserted('jane@example.com', [id]);
    const reservation = await reserved(joan);
    const next = { names: [id, joan], reservations: [reservation] };
    expect(await store.users.replace({ ...stored, version: 'former' }, userOf('new@example.com'), next)).to.equal(
      'stale',
    );
    const other = await store.users.insert(userOf('other@example.com'), {
      names: [joan, id],
      reservations: [reservation],
    });
    expect(other).to.deep.equal({ taken: id });
    expect(await store.users.insert(userOf('other@example.com'), { names: [joan] })).to.deep.equal({
      taken: joan,
      reservation,
    });
    expect(await entries()).to.deep.equal([`${id} of jane@example.com`, `${joan} of none`]);
  });

  it('belong to their holders after two users have exchanged theirs at once', async () => {
    const [one, other] = [await inserted('a@example.com', [jane]), await inserted('b@example.com', [joan])];
    const outcomes = await Promise.all([
      store.users.replace(one, one.user, { names: [joan] }),
      store.users.replace(other, other.user, { names: [jane] }),
    ]);
    expect(outcomes.every((outcome) => outcome !== 'stale')).to.equal(true);
    const names = [jane, joan].map((name) => store.names?.find(name));
    for (const holder of await Promise.all(names)) {
      const found = holder && (await store.users.find(keyOfUser(holder.user)));
      expect(found).to.deep.equal(holder);
    }
  });

  it('are written although the server has rolled the transaction back, because of a deadlock', async () => {
    const stored = await inserted('jane@example.com', [id]);
    const { tableName } = scratch.options;
    const [other, third] = [await createConnection(url()), await createConnection(url())];
    // Of two transactions, the server rolls back the one with fewer changes.
    await other.query('BEGIN');
    const events = Array.from({ length: 20 }, (_, index) => ['other', `event ${index}`, 0, '{}', 0]);
    await other.query(`INSERT INTO ${tableName}_events (destination, id, time, body, due) VALUES ?`, [events]);
    await other.query(`INSERT INTO ${tableName}_names (name) VALUES (?)`, [joan]);
    const replaced = store.users.replace(stored, stored.user, { names: [id, joan] });
    const row = `SELECT 1 FROM ${tableName} FOR UPDATE`;
    const isFree = () => third.query(`${row} NOWAIT`).then(Boolean, () => false);
    while (await isFree()) await new Promise((resolve) => setTimeout(resolve, 5));
    await other.query(row);
    await other.query('ROLLBACK');
    expect(await replaced).to.have.property('version');
    expect(await entries()).to.deep.equal([`${id} of jane@example.com`, `${joan} of jane@example.com`]);
    for (const session of [other, third]) await session.end();
  });

  it('and addresses are free when their reservation has ended', async () => {
    const user = userOf('jane@example.com');
    const { tableName } = scratch.options;
    const age = async () => {
      for (const table of [tableName, `${tableName}_names`])
        await scratch.run(`UPDATE ${table} SET reserved_until = reserved_until - 15 * 60000`);
    };
    await store.users.reserve(keyOfUser(user));
    await reserved(jane);
    await reserved(joan);
    expect(isTaken(await store.users.insert(user))).to.equal(true);
    await age();
    await reserved(joan);
    expect(await entries()).to.deep.equal([`${joan} of none`]);
    expect(await store.users.insert(user, { names: [jane] })).to.have.property('version');
  });
};

describe('Names of users', () => {
  const url = mariadb();
  // A nested block, so that its hooks are skipped without MariaDB.
  describe('in MariaDB', () => suite(url));
});
