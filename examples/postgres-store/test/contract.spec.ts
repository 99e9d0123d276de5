import { userStoreContract } from 'latchkey/contract';
import postgresStore from '../src/index.ts';
import { postgres, scratchTable } from './postgres.ts';
import { tools } from './tools.ts';

describe('the store', () => {
  const url = postgres();

  userStoreContract('PostgreSQL', async () => {
    const { options, drop } = scratchTable(url());
    const store = await postgresStore.open(options, tools());
    const dispose = async () => {
      await store.users.close();
      await drop();
    };
    return { store, dispose };
  });
});
