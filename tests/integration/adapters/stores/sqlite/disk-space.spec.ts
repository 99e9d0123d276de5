import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { asProperties } from '../../../../../adapters/kit/user-json/user-writer.ts';
import { sqlite } from '../../../../../adapters/stores/sqlite/index.ts';
import type { UserStore } from '../../../../../application/ports/user-store.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { faultOf } from '../../../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';
import { skipSuite } from '../../../../support/engines/skipped-suites.ts';
import { SmallDisk } from '../../../../support/small-disk.ts';

const large = (address: string) => userOf(address, { properties: asProperties(`{"a":"${'x'.repeat(300_000)}"}`) });

describe('the check of the store on SQLite, on a nearly full disk', () => {
  let disk: SmallDisk;
  let store: UserStore;
  before(async function () {
    disk = (await SmallDisk.mount(8)) ?? skipSuite(this, 'a full disk needs the permission to mount a file system');
  });
  beforeEach(async () => {
    const { users } = await sqlite.open({ path: join(disk.folder, 'users.db') }, silentContext);
    store = users;
  });
  afterEach(async () => {
    await store.close();
    await disk.free();
  });
  after(() => disk?.unmount());

  it('fails from the first write that the disk refuses until there is space for the largest user', async () => {
    await store.insert(userOf('ada@example.com'));
    await disk.fill(128 * 1024);
    await store.insert(userOf('small@example.com'));
    await store.check();
    expect(await faultOf(store.insert(large('large@example.com')))).to.include({ code: 'store_unavailable' });
    for (let count = 0; count < 2; count++) {
      const checks = [store.check(), store.check()];
      for (const { code, message } of await Promise.all(checks.map(faultOf))) {
        expect(code).to.equal('store_unavailable');
        expect(message).to.match(/users\.db: the disk has refused a write, and has no space for the largest user$/);
      }
    }
    await disk.free();
    await store.check();
    expect(await store.insert(large('large@example.com'))).to.have.property('version');
    expect((await readdir(disk.folder)).sort()).to.deep.equal(['users.db', 'users.db-shm', 'users.db-wal']);
  });

  it('succeeds while nothing was refused, and needs no space for a test', async () => {
    await disk.fill(128 * 1024);
    for (let count = 0; count < 3; count++) await store.check();
  });
});
