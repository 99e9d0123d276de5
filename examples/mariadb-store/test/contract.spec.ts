import {
  attemptCounterContract,
  eventOutboxContract,
  type SimulatedFailures,
  userListingContract,
  userSearchContract,
  userStoreContract,
} from 'latchkey/contract';
import mariadbStore from '../src/index.ts';
import { adapterContext } from './adapter-context.ts';
import { FaultProxy } from './fault-proxy.ts';
import { mariadb, ownServer, scratchTables } from './mariadb.ts';

describe('the store', () => {
  const url = mariadb();

  const open = async () => {
    const { options, drop } = scratchTables(url());
    const reopen = () => mariadbStore.open(options, adapterContext());
    const store = await reopen();
    const dispose = async () => {
      await store.users.close();
      await drop();
    };
    return { store, reopen, dispose };
  };
  userStoreContract('MariaDB', open);
  userListingContract('MariaDB', open);
  userSearchContract('MariaDB', open);
  eventOutboxContract('MariaDB', open);

  attemptCounterContract('MariaDB', async (limits) => {
    const { options, run, drop } = scratchTables(url());
    const stores = [
      await mariadbStore.open(options, adapterContext()),
      await mariadbStore.open(options, adapterContext()),
    ];
    const [one, other] = await Promise.all(stores.map(({ attempts }) => attempts?.(limits)));
    if (one === undefined || other === undefined) throw new Error('the store counts no attempts');
    await one.check();
    const stored = async () => JSON.stringify(await run(`SELECT * FROM ${options.tableName}_attempts`));
    const dispose = async () => {
      for (const counter of [one, other]) await counter.close();
      for (const { users } of stores) await users.close();
      await drop();
    };
    return { one, other, stored, dispose };
  });
});

describe('the store of a server that fails', () => {
  const server = ownServer();
  const operationTimeoutMs = 2_000;
  let proxy: FaultProxy;
  before(async () => {
    proxy = await FaultProxy.to(server().port);
  });
  after(() => proxy?.close());

  const failures: SimulatedFailures = {
    operationTimeoutMs,
    outage: { begin: () => server().stop(), end: () => server().start() },
    hang: { begin: async () => proxy.silence(true), end: async () => proxy.silence(false) },
    standby: {
      begin: () => server().administer('SET GLOBAL read_only = 1'),
      end: () => server().administer('SET GLOBAL read_only = 0'),
    },
    lostReply: {
      begin: async () => proxy.inject(/INSERT|UPDATE|DELETE/, 'reply lost'),
      end: async () => {},
    },
    secrets: ['127.0.0.1', 'latchkey@'],
  };

  userStoreContract(
    'MariaDB that fails',
    async () => {
      const { options } = scratchTables(server().url);
      const connectionString = server().url.replace(String(server().port), String(proxy.port));
      const reopen = () => mariadbStore.open({ ...options, connectionString }, adapterContext(operationTimeoutMs));
      const store = await reopen();
      return { store, reopen, dispose: () => store.users.close() };
    },
    { failures },
  );
});
