import { InMemoryUserStore } from '../../../../sdk/contract/in-memory-user-store.ts';
import { userListingContract } from '../../../../sdk/contract/user-listing.ts';
import { userSearchContract } from '../../../../sdk/contract/user-search.ts';
import { userStoreContract } from '../../../../sdk/contract/user-store.ts';

const open = async () => {
  const store = new InMemoryUserStore();
  return { store: store.ports, dispose: () => store.close() };
};

userStoreContract('in memory', open);
userListingContract('in memory', open);
userSearchContract('in memory', open);
