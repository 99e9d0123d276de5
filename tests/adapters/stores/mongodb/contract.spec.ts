import { userListingContract } from '../../../contract/user-listing.ts';
import { userStoreContract } from '../../../contract/user-store.ts';
import { engine } from '../../../engines/index.ts';
import { ScratchDatabase } from './scratch-database.ts';

describe('MongoDB', () => {
  const uri = engine('mongodb');

  const open = async () => {
    const database = new ScratchDatabase(uri());
    return { store: await database.open(), dispose: () => database.dispose() };
  };

  userStoreContract('mongodb', open);
  userListingContract('mongodb', open);
});
