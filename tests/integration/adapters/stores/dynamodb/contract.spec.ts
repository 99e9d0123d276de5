import { userListingContract } from '../../../../../sdk/contract/user-listing.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';
import { engine } from '../../../../support/engines/index.ts';
import { withAwsCredentials } from '../../../../support/environment.ts';
import { FreshTable } from './fresh-table.ts';

describe('the store on DynamoDB', () => {
  const endpoint = engine('dynamodb');
  withAwsCredentials();

  const open = async () => {
    const table = await FreshTable.create(endpoint());
    return { store: await table.openPorts(), dispose: () => table.dispose() };
  };

  userStoreContract('dynamodb', open);
  userListingContract('dynamodb', open);
});
