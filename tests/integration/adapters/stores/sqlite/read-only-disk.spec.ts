import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { sqlite } from '../../../../../adapters/stores/sqlite/index.ts';
import type { StorePorts } from '../../../../../application/ports/user-store.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { faultOf } from '../../../../../sdk/contract/outcomes.ts';
import { counterOf } from '../../../../support/attempt-counters.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';
import { skipSuite } from '../../../../support/engines/skipped-suites.ts';
import { SmallDisk } from '../../../../support/small-disk.ts';
import { find, TemporaryDatabase } from './temporary-database.ts';

const limits = { failures: 3, clientFailures: 5, windowMs: 600_000, blockMs: 600_000 };
const jane = { user: 'jane@example.com', client: undefined };

describe('the store on SQLite, on a disk that is read-only at the start', () => {
  let disk: SmallDisk;
  let database: TemporaryDatabase;
  before(async function () {
    disk =
      (await SmallDisk.mount(8)) ?? skipSuite(this, 'a read-only disk needs the permission to mount a file system');
  });
  beforeEach(async () => {
    database = await TemporaryDatabase.create();
  });
  afterEach(() => database.dispose());
  after(() => disk?.unmount());

  /** Copies the files of open stores, as a crash leaves them. */
  const crash = async (): Promise<StorePorts> => {
    for (const name of await readdir(database.folder))
      await copyFile(join(database.folder, name), join(disk.folder, name));
    disk.remount('ro');
    return sqlite.open({ path: join(disk.folder, 'users.db') }, silentContext);
  };

  it('reads users, and writes them again once the disk is writable', async () => {
    const ports = await database.openPorts();
    await ports.users.insert(userOf('ada@example.com'));
    const { users, listing, events } = await crash();
    const every = { address: '', addressContains: '', conditions: [], property: undefined, limit: 9, after: undefined };
    const listed = async () => (await listing?.list(every))?.users.length;
    try {
      expect(await find(users, 'ada@example.com')).not.to.equal(undefined);
      expect([await listed(), await events?.destinations()]).to.deep.equal([1, []]);
      expect(await faultOf(users.insert(userOf('ben@example.com')))).to.include({ code: 'store_unavailable' });
      expect(await find(users, 'ada@example.com')).not.to.equal(undefined);
      disk.remount('rw');
      // The first write finds out.
      await users.check().catch(() => undefined);
      await users.check();
      expect(await users.insert(userOf('ben@example.com'))).to.have.property('version');
      expect([await listed(), await events?.destinations()]).to.deep.equal([2, []]);
    } finally {
      disk.remount('rw');
      await users.close();
    }
  });

  it('counts wrong passwords again once the disk is writable', async () => {
    const crashed = await counterOf(await database.openPorts(), limits);
    await crashed.recordFailure(jane);
    const ports = await crash();
    const counter = await counterOf(ports, limits);
    try {
      expect(await faultOf(counter.recordFailure(jane))).to.include({ code: 'store_unavailable' });
      disk.remount('rw');
      await counter.recordFailure(jane).catch(() => undefined);
      await counter.recordFailure(jane);
    } finally {
      disk.remount('rw');
      await Promise.all([crashed.close(), counter.close()]);
      await ports.users.close();
    }
  });
});
