import { userListingContract } from '../../../../../sdk/contract/user-listing.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';
import { engine } from '../../../../support/engines/index.ts';
import { ScratchDatabase } from './scratch-database.ts';

describe('MongoDB', () => {
  const uri = engine('mongodb');

  const open = async () => {
    const database = new ScratchDatabase(uri());
    return { store: await database.openPorts(), dispose: () => database.dispose() };
  };

  userStoreContract('mongodb', open);
  userListingContract('mongodb', open);
});
