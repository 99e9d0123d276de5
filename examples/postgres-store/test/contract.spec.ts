import { userStoreContract } from 'latchkey/contract';
import postgresStore from '../src/index.ts';
import { adapterContext } from './adapter-context.ts';
import { ownServer, postgres, scratchTable } from './postgres.ts';

describe('the store', () => {
  const url = postgres();

  userStoreContract('PostgreSQL', async () => {
    const { options, drop } = scratchTable(url());
    const store = await postgresStore.open(options, adapterContext());
    const dispose = async () => {
      await store.users.close();
      await drop();
    };
    return { store, dispose };
  });
});

describe('the store of a server that a test stops', () => {
  const server = ownServer();
  const operationTimeoutMs = 2_000;
  const outage = { begin: () => server().stop(), end: () => server().start() };

  userStoreContract(
    'PostgreSQL that is stopped',
    async () => {
      const { options } = scratchTable(server().url);
      const store = await postgresStore.open(options, adapterContext(operationTimeoutMs));
      return { store, dispose: () => store.users.close() };
    },
    { failures: { operationTimeoutMs, outage } },
  );
});
