import { expect } from 'chai';
import type { UserStore } from 'latchkey/ports';
import postgresStore from '../src/index.ts';
import { Between, type Mishap } from './between.ts';
import { postgres, scratchTable } from './postgres.ts';
import { faultOf, tools } from './tools.ts';
import { keyOfUser, userOf } from './users.ts';

const suite = (url: () => string): void => {
  let between: Between;
  let store: UserStore;
  let direct: UserStore;
  let drop: () => Promise<void>;
  before(async () => {
    const scratch = scratchTable(url());
    const behind = new URL(url());
    between = await Between.to(Number(behind.port || 5432));
    behind.port = String(between.port);
    drop = scratch.drop;
    direct = (await postgresStore.open(scratch.options, tools())).users;
    await direct.check();
    store = (await postgresStore.open({ ...scratch.options, connectionString: behind.href }, tools(1_000))).users;
  });
  after(async () => {
    await store.close();
    await direct.close();
    between.close();
    await drop();
  });

  it('before the reply of an insert: the user is there, and it is ours', async () => {
    const user = userOf('inserted@example.com');
    between.expect('INSERT', 'reply lost');
    expect(await store.insert(user)).to.equal('inserted');
    expect((await direct.find(keyOfUser(user)))?.user).to.deep.equal(user);
  });

  it('before the reply of a change of address: the user has the new one only', async () => {
    const user = userOf('old@example.com');
    await direct.insert(user);
    const stored = await direct.find(keyOfUser(user));
    const next = userOf('new@example.com');
    between.expect('UPDATE', 'reply lost');
    expect(stored && (await store.replace(stored, next))).to.equal('replaced');
    expect(await direct.find(keyOfUser(user))).to.equal(undefined);
    expect((await direct.find(keyOfUser(next)))?.user).to.deep.equal(next);
  });

  it('before the reply of a removal: nobody can tell whose it was, and the caller hears so', async () => {
    const user = userOf('removed@example.com');
    await direct.insert(user);
    const stored = await direct.find(keyOfUser(user));
    between.expect('DELETE', 'reply lost');
    expect(stored && (await faultOf(store.remove(stored))).code).to.equal('store_unavailable');
    expect(await direct.find(keyOfUser(user))).to.equal(undefined);
  });

  for (const mishap of ['request lost', 'silence'] as const satisfies readonly Mishap[]) {
    it(`${mishap}: the caller hears that the store is unavailable, in time`, async () => {
      const user = userOf(`${mishap.replace(' ', '-')}@example.com`);
      between.expect('INSERT', mishap);
      const started = performance.now();
      expect((await faultOf(store.insert(user))).code).to.equal('store_unavailable');
      expect(performance.now() - started).to.be.below(1_000);
      expect(await store.find(keyOfUser(user)).then((found) => found !== undefined)).to.equal(mishap === 'silence');
    });
  }
};

describe('a connection that breaks around a write', () => {
  const url = postgres();
  // In a block of its own, because its hooks are left out together with it where there is no PostgreSQL.
  describe('is lost', () => suite(url));
});
