import { MemoryUserStore } from '../../../../../adapters/stores/memory/memory-user-store.ts';
import { userListingContract } from '../../../../../sdk/contract/user-listing.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';

const open = async () => {
  const store = new MemoryUserStore();
  return { store: store.ports, dispose: () => store.close() };
};

userStoreContract('memory', open);
userListingContract('memory', open);
