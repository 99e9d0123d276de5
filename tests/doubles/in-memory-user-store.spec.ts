import { userListingContract } from '../contract/user-listing.ts';
import { userStoreContract } from '../contract/user-store.ts';
import { InMemoryUserStore } from './in-memory-user-store.ts';

const open = async () => {
  const store = new InMemoryUserStore();
  return { store, dispose: () => store.close() };
};

userStoreContract('in memory', open);
userListingContract('in memory', open);
