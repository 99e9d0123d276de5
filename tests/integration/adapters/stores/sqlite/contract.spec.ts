import { userListingContract } from '../../../../../sdk/contract/user-listing.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';
import { TemporaryDatabase } from './temporary-database.ts';

const open = async () => {
  const database = await TemporaryDatabase.create();
  return { store: await database.openPorts(), dispose: () => database.dispose() };
};

userStoreContract('sqlite', open);
userListingContract('sqlite', open);
