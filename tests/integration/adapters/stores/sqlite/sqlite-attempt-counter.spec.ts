import { link, lstat, mkdir, readdir, readFile, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openAttemptCounter } from '../../../../../adapters/stores/sqlite/sqlite-attempt-counter.ts';
import type { Attempt, AttemptLimits } from '../../../../../application/ports/attempt-counter.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf } from '../../../../../sdk/contract/arbitraries.ts';
import { attemptCounterContract } from '../../../../../sdk/contract/attempt-counter.ts';
import { faultOf } from '../../../../../sdk/contract/outcomes.ts';
import {
  counterOf,
  countersOf,
  expectNoFreeGuesses,
  expectSignUpsAfter,
} from '../../../../support/attempt-counters.ts';
import { skipSuite } from '../../../../support/engines/skipped-suites.ts';
import { eventually } from '../../../../support/eventually.ts';
import { SmallDisk } from '../../../../support/small-disk.ts';
import { TemporaryDatabase } from './temporary-database.ts';

attemptCounterContract('sqlite', async (limits) => {
  const database = await TemporaryDatabase.create();
  const stores = [await database.openPorts(), await database.openPorts()];
  const { one, other, close } = await countersOf(stores, limits);
  return {
    one,
    other,
    stored: async () => {
      const files = (await readdir(database.folder)).filter((name) => name.includes('-throttle'));
      return (await Promise.all(files.map((name) => readFile(join(database.folder, name), 'latin1')))).join();
    },
    dispose: async () => {
      await close();
      await database.dispose();
    },
  };
});

const limits: AttemptLimits = { failures: 3, clientFailures: 5, windowMs: 600_000, blockMs: 600_000 };
const jane: Attempt = { user: keyOf(addressOf('jane@example.com')), client: '192.0.2.7' };

describe('the file of the attempt counter of SQLite', () => {
  let database: TemporaryDatabase;
  let file: string;
  beforeEach(async () => {
    database = await TemporaryDatabase.create();
    file = `${database.path}-throttle`;
  });
  afterEach(() => database.dispose());

  const open = async (changes: Partial<AttemptLimits> = {}) =>
    counterOf(await database.openPorts(), { ...limits, ...changes });

  const rows = (): number => {
    const opened = new Database(file, { readonly: true });
    try {
      return opened.prepare<[], number>('SELECT count(*) FROM failed_attempts').pluck().get() ?? 0;
    } finally {
      opened.close();
    }
  };

  it('is created when the counter is opened, and not before', async () => {
    await database.open();
    expect((await readdir(database.folder)).filter((name) => name.includes('throttle'))).to.deep.equal([]);
    const counter = await open();
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    await counter.close();
  });

  it('starts counts again that were stored before the clock was set back by more than a block, and no others', async () => {
    const counter = await open();
    for (let n = 0; n < limits.failures; n++) await counter.recordFailure(jane);
    const setBack = (ms: number): void => {
      const opened = new Database(file);
      opened.prepare('UPDATE failed_attempts SET expire = expire + ?').run(ms);
      opened.close();
    };
    setBack(limits.blockMs / 2);
    expect((await counter.status(jane)).blockedForMs).to.be.above(0);
    setBack(86_400_000);
    expect(await counter.status(jane)).to.deep.equal({ blockedForMs: 0, failures: 0 });
    for (let n = 0; n < limits.failures; n++) await counter.recordFailure(jane);
    expect((await counter.status(jane)).blockedForMs).to.be.within(1, limits.blockMs);
    await counter.close();
  });

  it('takes less space for 1,000 failures than a ready service has', async () => {
    const counter = await open();
    for (let n = 0; n < 1_000; n++) {
      const user = keyOf(addressOf(`user-${n}@example.com`));
      await counter.recordFailure({ user, client: `192.0.${n >> 8}.${n & 255}` });
    }
    const sizes = await Promise.all(['', '-wal'].map(async (suffix) => (await stat(`${file}${suffix}`)).size));
    await counter.close();
    expect(sizes.reduce((sum, size) => sum + size)).to.be.lessThan(768 * 1024);
  });

  it('contains neither user nor address in plain text', async () => {
    const counter = await open();
    await counter.recordFailure(jane);
    await counter.close();
    const content = await readFile(file, 'latin1');
    expect(content).to.include('user:').and.to.include('client:');
    for (const clear of ['jane', 'example.com', '192.0.2.7']) expect(content).to.not.include(clear);
  });

  it('is replaced when it is damaged, and the users are untouched', async () => {
    const first = await open();
    for (let failed = 0; failed < 3; failed++) await first.recordFailure(jane);
    await first.close();
    for (const damage of ['no database at all'.repeat(500), `SQLite format 3\0${'\xff'.repeat(9_000)}`]) {
      await writeFile(file, damage, 'latin1');
      const counter = await open();
      expect((await counter.status(jane)).blockedForMs).to.equal(0);
      await counter.recordFailure(jane);
      expect((await counter.status(jane)).failures).to.equal(1);
      await counter.close();
    }
  });

  it('refuses the user of a damaged count, and starts that of a client address again', async () => {
    const counter = await open();
    for (const [column, value] of [
      ['points', 'a text'],
      ['points', -5],
      ['points', 1e300],
      ['expire', 'a text'],
      ['expire', null],
    ]) {
      const what = `${column} = ${value}`;
      await counter.recordFailure(jane);
      const opened = new Database(file);
      opened.prepare(`UPDATE failed_attempts SET ${column} = ?`).run(value);
      opened.close();
      expect(await faultOf(counter.status(jane)), what).to.include({ code: 'store_rejected', record: jane.user });
      const other = { ...jane, user: 'other@example.com' };
      expect(await counter.status(other), what).to.deep.equal({ blockedForMs: 0, failures: 0 });
      await counter.reset(jane.user);
      expect(await counter.status(jane), what).to.deep.equal({ blockedForMs: 0, failures: 0 });
    }
  });

  it('starts the sign-ups of a client address again whose count is damaged', async () => {
    await expectSignUpsAfter(await open(), async () => {
      const opened = new Database(file);
      opened.exec("UPDATE failed_attempts SET points = 'a text'");
      opened.close();
    });
  });

  it('replaces a planted symbolic link, and the target is untouched', async () => {
    const victim = join(database.folder, 'victim');
    await writeFile(victim, '');
    for (const target of [victim, join(database.folder, 'nothing')]) {
      await symlink(target, file);
      const counter = await open();
      await counter.recordFailure(jane);
      expect((await counter.status(jane)).failures).to.equal(1);
      await counter.close();
      expect((await lstat(file)).isFile()).to.equal(true);
      await rm(file);
    }
    expect(await readFile(victim, 'utf8')).to.equal('');
    expect(await readdir(database.folder)).to.not.include('nothing');
  });

  it('replaces planted hard links, also of the files that SQLite adds, and their targets are untouched', async () => {
    const victim = join(database.folder, 'victim');
    for (const suffix of ['', '-wal', '-shm', '-journal']) {
      await writeFile(victim, suffix === '' ? '' : 'keep');
      await link(victim, `${file}${suffix}`);
      const counter = await open();
      await counter.recordFailure(jane);
      await counter.close();
      expect(await readFile(victim, 'utf8'), suffix).to.equal(suffix === '' ? '' : 'keep');
      for (const name of await readdir(database.folder))
        if (name.includes('-throttle')) await rm(join(database.folder, name));
      await rm(victim);
    }
  });

  it('deletes expired rows when it is opened', async () => {
    const first = await open({ windowMs: 1, blockMs: 1 });
    for (let failed = 0; failed < 3; failed++) await first.recordFailure(jane);
    await first.close();
    expect(rows()).to.equal(2);
    await eventually(async () => {
      await (await open()).close();
      expect(rows()).to.equal(0);
    }, 5_000);
  });

  it('deletes many expired rows while more are added, and no other row', async function () {
    this.timeout(20_000);
    const counter = await open();
    await counter.recordFailure(jane);
    await counter.close();
    const filling = new Database(file);
    const add = filling.prepare('INSERT INTO failed_attempts (key, points, expire) VALUES (?, 1, ?)');
    let added = 0;
    const addExpired = filling.transaction((count: number) => {
      for (let n = 0; n < count; n++) add.run(`user:expired-${++added}`, Date.now() - 1);
    });
    addExpired(20_000);
    const again = await open();
    for (let n = 0; n < 10; n++) {
      addExpired(2_000);
      await again.recordFailure(jane);
    }
    await eventually(async () => expect(rows()).to.equal(2), 15_000);
    expect((await again.status(jane)).blockedForMs).to.be.greaterThan(0);
    filling.close();
    await again.close();
  });

  it('fails every call while it cannot be opened', async () => {
    await mkdir(file);
    const counter = await open();
    const asked = [counter.status(jane), counter.recordFailure(jane), counter.reset(jane.user), counter.check()];
    for (const fault of await Promise.all(asked.map(faultOf))) expect(fault).to.include({ code: 'store_unavailable' });
    await rmdir(file);
    await counter.recordFailure(jane);
    expect((await counter.status(jane)).failures).to.equal(1);
    await counter.close();
    expect(await faultOf(counter.status(jane))).to.include({ code: 'store_unavailable' });
  });
});

describe('the attempt counter of SQLite on a full disk', () => {
  it('allows no free guesses', async function () {
    const disk =
      (await SmallDisk.mount(8)) ?? skipSuite(this, 'a full disk needs the permission to mount a file system');
    const counter = openAttemptCounter(join(disk.folder, 'users.db'), limits);
    try {
      await expectNoFreeGuesses(counter, limits, { refuseWrites: () => disk.fill(), acceptWrites: () => disk.free() });
    } finally {
      await counter.close();
      await disk.unmount();
    }
  });
});
