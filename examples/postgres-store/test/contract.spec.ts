import { userStoreContract } from 'latchkey/contract';
import postgresStore from '../src/index.ts';
import { adapterContext } from './adapter-context.ts';
import { postgres, scratchTable } from './postgres.ts';

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
