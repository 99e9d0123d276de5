import { userStoreContract } from '../../../contract/user-store.ts';
import { engine } from '../../../engines/index.ts';
import { httpSuite } from '../../../http/suite.ts';
import { FreshTable, region, withCredentials } from './fresh-table.ts';

describe('the store on DynamoDB', () => {
  const endpoint = engine('dynamodb');
  withCredentials();

  userStoreContract('dynamodb', async () => {
    const table = await FreshTable.create(endpoint());
    return { store: await table.open(), dispose: () => table.dispose() };
  });

  httpSuite({
    name: 'DynamoDB',
    open: async () => {
      const table = await FreshTable.create(endpoint());
      return {
        yaml: { type: 'dynamodb', endpoint: endpoint(), region, tableName: table.name },
        dispose: () => table.dispose(),
      };
    },
  });
});
