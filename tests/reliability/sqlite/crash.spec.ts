import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { find, TemporaryDatabase } from '../../integration/adapters/stores/sqlite/temporary-database.ts';
import { sqliteNames } from '../../support/names/sqlite.ts';

/** What a process acknowledged before it was killed: the numbers of inserted users, and of those that moved. */
interface Acknowledged {
  readonly inserted: Set<number>;
  readonly moved: Set<number>;
}

/** Starts a process that inserts users and moves them to another address, and kills it in the middle of its work. */
const killedWhileWriting = async (path: string, afterWrites: number): Promise<Acknowledged> => {
  const acknowledged: Acknowledged = { inserted: new Set(), moved: new Set() };
  const child = fork(new URL('./writing-process.ts', import.meta.url), [path], {
    execArgv: ['--import', new URL('../../../tools/typescript.js', import.meta.url).href],
  });
  child.on('message', ([what, n]: ['inserted' | 'moved', number]) => {
    acknowledged[what].add(n);
    if (acknowledged.inserted.size + acknowledged.moved.size === afterWrites) child.kill('SIGKILL');
  });
  const [, signal] = await once(child, 'close');
  expect(signal).to.equal('SIGKILL');
  return acknowledged;
};

const isWholeAfter = async (afterWrites: number): Promise<void> => {
  const database = await TemporaryDatabase.create();
  try {
    const { inserted, moved } = await killedWhileWriting(database.path, afterWrites);
    const store = await database.open();
    for (const n of inserted) {
      const [old, current] = [await find(store, `old-${n}@example.com`), await find(store, `new-${n}@example.com`)];
      expect(
        [old, current].filter((user) => user !== undefined),
        `user ${n} after ${afterWrites} writes`,
      ).to.have.length(1);
      if (moved.has(n)) expect(old, `user ${n}`).to.equal(undefined);
    }
    const { users, entries } = sqliteNames(database.path);
    const held = [...users].flatMap(([key, names]) => names.map((name) => [name, key] as const));
    expect(held).to.have.length(entries.size);
    expect(new Map(held), 'the entries are those of the users').to.deep.equal(new Map(entries));
  } finally {
    await database.dispose();
  }
};

describe('the embedded store when its process is killed', () => {
  it('has every acknowledged write, every user under exactly one address, and its names', async () => {
    await Promise.all([50, 1000].map(isWholeAfter));
  }).timeout(30_000);
});
