import { userListingContract } from '../../../../../sdk/contract/user-listing.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';
import { engine } from '../../../../support/engines/index.ts';
import { FreshTable, withCredentials } from './fresh-table.ts';

describe('the store on DynamoDB', () => {
  const endpoint = engine('dynamodb');
  withCredentials();

  const open = async () => {
    const table = await FreshTable.create(endpoint());
    return { store: await table.openPorts(), dispose: () => table.dispose() };
  };

  userStoreContract('dynamodb', open);
  userListingContract('dynamodb', open);
});
