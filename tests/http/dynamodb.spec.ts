import { httpSuite } from '../../sdk/contract/http/suite.ts';
import { FreshTable, region } from '../integration/adapters/stores/dynamodb/fresh-table.ts';
import { engine } from '../support/engines/index.ts';
import { withAwsCredentials } from '../support/environment.ts';

describe('HTTP over DynamoDB', () => {
  const endpoint = engine('dynamodb');
  withAwsCredentials();

  httpSuite({
    name: 'DynamoDB',
    lacks: ['search'],
    open: async () => {
      const table = await (await FreshTable.create(endpoint())).createForEvents();
      await table.createForCounts();
      return {
        yaml: { type: 'dynamodb', endpoint: endpoint(), region, tableName: table.name },
        dispose: () => table.dispose(),
      };
    },
  });
});
