import { expect } from 'chai';
import type { UserStore } from 'latchkey/ports';
import mariadbStore from '../src/index.ts';
import { adapterContext, faultOf } from './adapter-context.ts';
import { FaultProxy, type NetworkFault } from './fault-proxy.ts';
import { mariadb, scratchTables } from './mariadb.ts';
import { keyOfUser, userOf } from './users.ts';

const suite = (url: () => string): void => {
  let proxy: FaultProxy;
  let store: UserStore;
  let direct: UserStore;
  let drop: () => Promise<void>;
  before(async () => {
    const scratch = scratchTables(url());
    const target = new URL(url());
    proxy = await FaultProxy.to(Number(target.port || 3306));
    target.port = String(proxy.port);
    drop = scratch.drop;
    direct = (await mariadbStore.open(scratch.options, adapterContext())).users;
    await direct.check();
    store = (await mariadbStore.open({ ...scratch.options, connectionString: target.href }, adapterContext(1_000)))
      .users;
  });
  after(async () => {
    await store.close();
    await direct.close();
    proxy.close();
    await drop();
  });

  it('before the reply to an insert: finds the inserted user', async () => {
    const user = userOf('inserted@example.com');
    proxy.inject('INSERT', 'reply lost');
    expect(await store.insert(user)).to.have.property('version');
    expect((await direct.find(keyOfUser(user)))?.user).to.deep.equal(user);
  });

  it('before the reply to a change of address: finds the user only under the new address', async () => {
    const user = userOf('old@example.com');
    await direct.insert(user);
    const stored = await direct.find(keyOfUser(user));
    const next = userOf('new@example.com');
    proxy.inject('UPDATE', 'reply lost');
    expect(stored && (await store.replace(stored, next))).to.have.property('version');
    expect(await direct.find(keyOfUser(user))).to.equal(undefined);
    expect((await direct.find(keyOfUser(next)))?.user).to.deep.equal(next);
  });

  it('before the reply to a removal: reports an unknown result', async () => {
    const user = userOf('removed@example.com');
    await direct.insert(user);
    const stored = await direct.find(keyOfUser(user));
    proxy.inject('DELETE', 'reply lost');
    expect(stored && (await faultOf(store.remove(stored))).code).to.equal('store_unavailable');
    expect(await direct.find(keyOfUser(user))).to.equal(undefined);
  });

  for (const fault of ['request lost', 'silence'] as const satisfies readonly NetworkFault[]) {
    it(`${fault}: reports in time that the store is unavailable`, async () => {
      const user = userOf(`${fault.replace(' ', '-')}@example.com`);
      proxy.inject('INSERT', fault);
      const started = performance.now();
      expect((await faultOf(store.insert(user))).code).to.equal('store_unavailable');
      expect(performance.now() - started).to.be.below(1_000);
      expect(await store.find(keyOfUser(user)).then((found) => found !== undefined)).to.equal(fault === 'silence');
    });
  }
};

describe('A connection that breaks during a write', () => {
  const url = mariadb();
  // A nested block, so that its hooks are skipped without MariaDB.
  describe('is lost', () => suite(url));
});
