import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SimulatedFailures, userStoreContract } from 'latchkey/contract';
import postgresStore from '../src/index.ts';
import { adapterContext } from './adapter-context.ts';
import { FaultProxy } from './fault-proxy.ts';
import { ownServer, postgres, scratchTable } from './postgres.ts';

describe('the store', () => {
  const url = postgres();

  userStoreContract('PostgreSQL', async () => {
    const { options, drop } = scratchTable(url());
    const reopen = () => postgresStore.open(options, adapterContext());
    const store = await reopen();
    const dispose = async () => {
      await store.users.close();
      await drop();
    };
    return { store, reopen, dispose };
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

  const restart = async (change: (signal: string) => void) => {
    await server().stop();
    change(join(server().data, 'standby.signal'));
    await server().start();
  };
  const failures: SimulatedFailures = {
    operationTimeoutMs,
    outage: { begin: () => server().stop(), end: () => server().start() },
    hang: { begin: async () => proxy.silence(true), end: async () => proxy.silence(false) },
    standby: {
      begin: () => restart((signal) => writeFileSync(signal, '')),
      end: () => restart((signal) => rmSync(signal)),
    },
    lostReply: {
      begin: async () => proxy.inject(/INSERT|UPDATE|DELETE/, 'reply lost'),
      end: async () => {},
    },
    secrets: ['127.0.0.1', 'latchkey@'],
  };

  userStoreContract(
    'PostgreSQL that fails',
    async () => {
      const { options } = scratchTable(server().url);
      const connectionString = server().url.replace(String(server().port), String(proxy.port));
      const reopen = () => postgresStore.open({ ...options, connectionString }, adapterContext(operationTimeoutMs));
      const store = await reopen();
      return { store, reopen, dispose: () => store.users.close() };
    },
    { failures },
  );
});
