import { expect } from 'chai';
import { withTimeout } from '../../../../../application/interceptor.ts';
import type { UserStore } from '../../../../../application/ports/user-store.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { type PrivateEngine, privateEngine } from '../../../../support/engines/index.ts';
import { connectionStringOf } from '../../../../support/engines/replica-set.ts';
import { eventually, recovered } from '../../../../support/eventually.ts';
import { TcpProxy } from '../../../../support/fault-proxy.ts';
import { find, ScratchDatabase } from './scratch-database.ts';

const operationTimeoutMs = 1_200;

describe('MongoDB during outages', () => {
  const server = privateEngine('mongodb');
  let database: ScratchDatabase;
  let proxy: TcpProxy;

  beforeEach(async () => {
    database = new ScratchDatabase(server().endpoint);
    proxy = await TcpProxy.to(server().host, server().port);
  });
  afterEach(async () => {
    await database.abandon();
    await proxy.close();
  });

  /** Expects every call to throw `store_unavailable` before the operation timeout. */
  const expectUnavailable = async (store: UserStore, reason: RegExp): Promise<void> => {
    const calls = [find(store, 'ada@example.com'), store.insert(userOf('ada@example.com')), store.check()];
    const faults = Promise.all(calls.map(rejection));
    for (const fault of await withTimeout(
      operationTimeoutMs,
      faults,
      () => new Error('the operation would have ended'),
    )) {
      expect(fault).to.include({ code: 'store_unavailable' });
      const { message } = Object(fault);
      expect(message, message).to.match(reason);
    }
  };

  const outages: Readonly<
    Record<string, readonly [(it: PrivateEngine) => Promise<void>, (it: PrivateEngine) => Promise<void>, RegExp]>
  > = {
    'is stopped': [(it) => it.stop(), (it) => it.start(), /cannot be reached \(ECONN\w+\)/],
    'is frozen': [(it) => it.pause(), (it) => it.resume(), /response|answer|cannot be reached/],
  };
  for (const [what, [begin, end, reason]] of Object.entries(outages)) {
    it(`is unavailable while the server ${what}, and recovers within 5 seconds`, async function () {
      this.timeout(20_000);
      const store = await database.open(undefined, operationTimeoutMs);
      await store.check();
      await begin(server());
      try {
        await expectUnavailable(store, reason);
      } finally {
        await end(server());
      }
      await recovered(store);
    });

    it(`opens while the server ${what}, and recovers within 5 seconds`, async function () {
      this.timeout(20_000);
      await begin(server());
      const store = await database.open(undefined, operationTimeoutMs);
      try {
        await expectUnavailable(store, reason);
      } finally {
        await end(server());
      }
      await recovered(store);
      const indexes = await database.users.indexes();
      expect(indexes.find(({ key }) => 'email' in key)).to.include({ unique: true });
    });
  }

  it('is unavailable, for reads too, while the server is not the primary, and recovers within 5 seconds', async function () {
    this.timeout(20_000);
    const store = await database.open(undefined, operationTimeoutMs);
    await store.check();
    const admin = database.client.db('admin');
    await admin.command({ replSetStepDown: 60, force: true });
    try {
      // The driver notices it with its next heartbeat.
      await eventually(() => rejection(find(store, 'ada@example.com')), 2_000);
      await expectUnavailable(store, /the server is not the primary/);
    } finally {
      await admin.command({ replSetFreeze: 0 });
    }
    await recovered(store);
  });

  const throughProxy = (log?: Parameters<ScratchDatabase['open']>[2]): Promise<UserStore> =>
    database.open(connectionStringOf(proxy.host, proxy.port), operationTimeoutMs, log);

  const networkFaults: Readonly<Record<string, readonly [(it: TcpProxy) => unknown, RegExp]>> = {
    refuses: [(it) => it.refuse(), /cannot be reached \(ECONN\w+\)/],
    'resets connections': [(it) => it.reset(), /cannot be reached/],
    'drops every packet': [(it) => it.silence(), /response|answer|cannot be reached/],
    'is slower than the operation timeout': [(it) => it.delay(2_000), /response|answer|cannot be reached/],
  };
  for (const [what, [begin, reason]] of Object.entries(networkFaults)) {
    it(`is unavailable while the network ${what}, and recovers within 5 seconds, twice`, async function () {
      this.timeout(30_000);
      const store = await throughProxy();
      await store.check();
      for (let round = 0; round < 2; round++) {
        await begin(proxy);
        await expectUnavailable(store, reason);
        await proxy.restore();
        await recovered(store);
      }
    });
  }

  it('logs once that a server is lost, and once that it is back', async function () {
    this.timeout(20_000);
    const lines: string[] = [];
    const note = (_: object, message: string): void => void lines.push(message);
    const store = await throughProxy({ info: note, warn: note, error: note });
    await store.check();
    await proxy.refuse();
    await expectUnavailable(store, /./);
    await expectUnavailable(store, /./);
    // Calls may fail before the driver has asked for the server again.
    await eventually(async () => expect(lines).to.have.length(1), 6_000);
    await proxy.restore();
    await recovered(store);
    expect(lines).to.deep.equal(['a database server is lost', 'a database server is back']);
  });

  it('closes every connection; later calls fail', async () => {
    const store = await throughProxy();
    await Promise.all(Array.from({ length: 10 }, () => find(store, 'ada@example.com')));
    expect(proxy.connections).to.be.above(1);
    await store.close();
    while (proxy.connections > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await expectUnavailable(store, /closed/);
    await store.close();
  });
});
