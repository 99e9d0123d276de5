import Database from 'better-sqlite3';
import { expect } from 'chai';
import { applicationId } from '../../../../../adapters/stores/sqlite/sqlite-database.ts';
import { schemaVersion, steps } from '../../../../../adapters/stores/sqlite/sqlite-schema.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { find, TemporaryDatabase } from './temporary-database.ts';

describe('a file of a former schema', () => {
  let database: TemporaryDatabase;
  beforeEach(async () => {
    database = await TemporaryDatabase.create();
  });
  afterEach(() => database.dispose());

  /** Creates the file of a Latchkey that had the first steps only, with one user. */
  const formerFile = (taken: number): void => {
    const file = new Database(database.path);
    file.pragma('journal_mode = WAL');
    for (const { sql } of steps.slice(0, taken)) file.exec(sql);
    file.pragma(`application_id = ${applicationId}`);
    file.pragma(`user_version = ${taken}`);
    file.exec(`INSERT INTO users
      (key, version, address, verified, verification_token, password, creation_time, last_update_time, properties)
      VALUES ('ada@example.com', 'v1', 'Ada@example.com', 0, 'token', 'a stored password', 1, 2, '{"a":1}')`);
    file.close();
  };

  for (const taken of steps.keys()) {
    if (taken === 0) continue;
    it(`opens after ${taken} of its steps, keeps its users and accepts new ones`, async () => {
      formerFile(taken);
      const store = await database.open();
      const ada = await find(store, 'ada@example.com');
      expect(ada).to.deep.include({ version: 'v1' });
      expect(ada?.user).to.deep.include({ creationTime: 1, lastUpdateTime: 2, properties: '{"a":1}' });
      expect(ada?.user.email).to.deep.equal({
        address: 'Ada@example.com',
        verification: { verified: false, token: 'token' },
      });
      const { email, ...grace } = userOf('grace@example.com');
      const timed = {
        ...grace,
        email: { ...email, verification: { verified: false, token: 'another', tokenTime: 3 }, mailTime: 4 },
      };
      expect(await store.insert(timed)).to.have.property('version');
      expect((await find(store, 'grace@example.com'))?.user).to.deep.equal(timed);
      const moved = ada && { ...ada.user, email: { ...ada.user.email, mailTime: 5 } };
      expect(ada && moved && (await store.replace(ada, moved))).to.have.property('version');
      await store.close();
      const again = await database.open();
      expect((await find(again, 'ada@example.com'))?.user).to.deep.equal(moved);
    });
  }

  it('opens if user_version counts fewer steps than were applied, as the first Latchkey can write it', async () => {
    formerFile(1);
    await (await database.open()).close();
    const mark = (pragma: string): unknown => {
      const file = new Database(database.path);
      const found = file.pragma(pragma, { simple: true });
      file.close();
      return found;
    };
    mark('user_version = 1');
    expect(await find(await database.open(), 'ada@example.com')).to.deep.include({ version: 'v1' });
    expect(mark('user_version')).to.equal(schemaVersion);
  });

  for (const [taken, { sql, evidence }] of steps.entries())
    it(`detects step ${taken + 1} in a file`, () => {
      const file = new Database(':memory:');
      const found = () => file.prepare(evidence).get();
      for (const former of steps.slice(0, taken)) file.exec(former.sql);
      expect(found()).to.equal(undefined);
      file.exec(sql);
      expect(found()).not.to.equal(undefined);
      file.close();
    });

  it('has the number of applied steps as its user_version', async () => {
    formerFile(1);
    await (await database.open()).close();
    const file = new Database(database.path, { readonly: true });
    expect(file.pragma('user_version', { simple: true })).to.equal(schemaVersion);
    file.close();
  });

  it('is opened by several stores at once, of which one applies the steps', async () => {
    formerFile(1);
    const stores = await Promise.all([database.open(), database.open(), database.open()]);
    for (const store of stores) expect((await find(store, 'ada@example.com'))?.version).to.equal('v1');
  });
});
