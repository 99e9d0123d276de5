import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { asProperties } from '../../../../../adapters/kit/user-json/user-writer.ts';
import { sqlite } from '../../../../../adapters/stores/sqlite/index.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { find, silent, TemporaryDatabase } from './temporary-database.ts';

/** The read system calls of this process so far. */
const readCalls = (): number => Number(/^syscr: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

const addresses = Array.from({ length: 2_000 }, (_, n) => `user-${n}@example.com`);
/** Two users fit into a page of 4 KiB, so that all take 4 MiB; the rest of a longer row is never cached. */
const properties = asProperties(`{"a":"${'x'.repeat(1_500)}"}`);

describe('the cache of the embedded store', () => {
  let database: TemporaryDatabase;
  before(async function () {
    if (process.platform !== 'linux') this.skip();
    database = await TemporaryDatabase.create();
    const store = await database.open();
    await Promise.all(addresses.map((address) => store.insert(userOf(address, { properties }))));
    await store.close();
  });
  after(() => database?.dispose());

  for (const { cacheMiB, least, most } of [
    { cacheMiB: 1, least: 1_000, most: Number.POSITIVE_INFINITY },
    { cacheMiB: 8, least: 0, most: 100 },
    { least: 0, most: 100 },
  ]) {
    it(`saves the reads of what fits into ${cacheMiB ?? 'the default of 16'} MiB`, async () => {
      const { users: store } = await sqlite.open(
        { path: database.path, ...(cacheMiB === undefined ? {} : { cacheMiB }) },
        { log: silent, operationTimeoutMs: 30_000 },
      );
      const readAll = () => Promise.all(addresses.map((address) => find(store, address)));
      try {
        await readAll();
        const before = readCalls();
        await readAll();
        expect(readCalls() - before).to.be.within(least, most);
      } finally {
        await store.close();
      }
    });
  }
});
