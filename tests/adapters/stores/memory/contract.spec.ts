import { MemoryUserStore } from '../../../../adapters/stores/memory/memory-user-store.ts';
import { userStoreContract } from '../../../contract/user-store.ts';

userStoreContract('memory', async () => {
  const store = new MemoryUserStore();
  return { store, dispose: () => store.close() };
});
