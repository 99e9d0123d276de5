import { eventOutboxContract } from '../../../../../sdk/contract/event-outbox.ts';
import { userListingContract } from '../../../../../sdk/contract/user-listing.ts';
import { userSearchContract } from '../../../../../sdk/contract/user-search.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';
import { silent, TemporaryDatabase } from './temporary-database.ts';

const openWith = (hideUnknownUsers: boolean) => async () => {
  const database = await TemporaryDatabase.create();
  const reopen = () => database.openPorts(undefined, silent, hideUnknownUsers);
  return { store: await reopen(), reopen, dispose: () => database.dispose() };
};
const open = openWith(false);

userStoreContract('sqlite', open);
userListingContract('sqlite', open);
userSearchContract('sqlite', open);
eventOutboxContract('sqlite', open);
userStoreContract('sqlite, where the lookup of an unknown user takes as long', openWith(true));
