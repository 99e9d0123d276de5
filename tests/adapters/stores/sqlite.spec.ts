import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '../../../adapters/stores/sqlite/index.ts';
import { userStoreContract } from '../../contract/user-store.ts';

userStoreContract('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-'));
  const store = await sqlite.open(
    { path: join(folder, 'data', 'users.db') },
    { log: console, operationTimeout: 30_000 },
  );
  return {
    store,
    dispose: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
});
