import { copyFile, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { backUp } from '../../../../../adapters/stores/sqlite/database-backup.ts';
import { sqlite } from '../../../../../adapters/stores/sqlite/index.ts';
import { Fault } from '../../../../../application/fault.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { find, silent, TemporaryDatabase } from './temporary-database.ts';

describe('a backup of the embedded store', () => {
  let database: TemporaryDatabase;
  const copy = () => join(database.folder, 'copy.db');
  beforeEach(async () => {
    database = await TemporaryDatabase.create();
  });
  afterEach(() => database.dispose());

  const refusal = (source = database.path): string => {
    try {
      backUp(source, copy());
    } catch (error) {
      if (error instanceof Fault) return error.message;
      throw error;
    }
    throw new Error('a copy was made');
  };

  it('contains every user of an open store, is readable by its owner only, and can be opened', async () => {
    const store = await database.open();
    await Promise.all(Array.from({ length: 100 }, (_, n) => store.insert(userOf(`user-${n}@example.com`))));
    expect(backUp(database.path, copy())).to.equal(100);
    expect(((await stat(copy())).mode & 0o777).toString(8)).to.equal('600');

    const { users: restored } = await sqlite.open({ path: copy() }, { log: silent, operationTimeoutMs: 1000 });
    try {
      for (const n of [0, 50, 99])
        expect(await find(restored, `user-${n}@example.com`)).to.deep.equal(await find(store, `user-${n}@example.com`));
      expect(await restored.insert(userOf('later@example.com'))).to.have.property('version');
    } finally {
      await restored.close();
    }
    expect(await find(store, 'later@example.com')).to.equal(undefined);
  });

  it('works for a closed store, too, and does not change it', async () => {
    const store = await database.open();
    await store.insert(userOf('ada@example.com'));
    await store.close();
    const before = await readFile(database.path);
    expect(backUp(database.path, copy())).to.equal(1);
    expect(await readFile(database.path)).to.deep.equal(before);
  });

  it('follows no link that was planted next to the copy or the database', async () => {
    const store = await database.open();
    await store.insert(userOf('ada@example.com'));
    await store.close();
    const victim = join(database.folder, 'victim');
    await writeFile(victim, '');
    await symlink(victim, `${copy()}.unfinished`);
    expect(refusal()).to.include('.unfinished');
    for (const name of [`${copy()}.unfinished-journal`, `${copy()}.unfinished-wal`, `${database.path}-wal`]) {
      const planted = join(database.folder, `planted-${name.length}`);
      await symlink(planted, name);
    }
    await rm(`${copy()}.unfinished`);
    try {
      backUp(database.path, copy());
    } catch (error) {
      expect(error).to.be.instanceOf(Fault);
    }
    expect(await readFile(victim, 'utf8')).to.equal('');
    expect((await readdir(database.folder)).filter((name) => name.startsWith('planted'))).to.deep.equal([]);
  });

  it('never replaces an existing file', async () => {
    await database.open();
    await writeFile(copy(), 'an older copy');
    expect(refusal()).to.include('exists already');
    expect(await readFile(copy(), 'utf8')).to.equal('an older copy');
  });

  it('reports an earlier backup that was interrupted', async () => {
    await database.open();
    await writeFile(`${copy()}.unfinished`, 'half a copy');
    expect(refusal()).to.include('copy.db.unfinished exists');
    expect(await readFile(`${copy()}.unfinished`, 'utf8')).to.equal('half a copy');
  });

  it('is refused where there is no database, or that of another program, and leaves nothing behind', async () => {
    expect(refusal()).to.include('the database does not exist');
    const foreign = new Database(database.path);
    foreign.exec('CREATE TABLE users (name TEXT)');
    foreign.close();
    expect(refusal()).to.include('belongs to another program');
    expect(await readdir(database.folder)).to.deep.equal(['users.db']);
  });

  it('is refused where the database is damaged, and leaves nothing behind', async () => {
    const store = await database.open();
    await Promise.all(Array.from({ length: 500 }, (_, n) => store.insert(userOf(`user-${n}@example.com`))));
    await store.close();
    const damaged = join(database.folder, 'damaged.db');
    await copyFile(database.path, damaged);
    const file = await open(damaged, 'r+');
    const { size } = await file.stat();
    // The first page is the header; the others contain the users.
    for (let page = 4096; page < size; page += 2 * 4096) await file.write(Buffer.alloc(200, 0xff), 0, 200, page);
    await file.close();
    expect(refusal(damaged)).to.match(/malformed|not sound/);
    expect(await readdir(database.folder)).not.to.include.members(['copy.db']);
    expect(await readdir(database.folder)).not.to.include.members(['copy.db.unfinished']);
  });
});
