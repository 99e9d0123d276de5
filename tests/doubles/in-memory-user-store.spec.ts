import { userStoreContract } from '../contract/user-store.ts';
import { InMemoryUserStore } from './in-memory-user-store.ts';

userStoreContract('in memory', async () => {
  const store = new InMemoryUserStore();
  return { store, dispose: () => store.close() };
});
