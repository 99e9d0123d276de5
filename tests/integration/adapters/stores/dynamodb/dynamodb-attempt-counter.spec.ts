import { attemptCounterContract } from '../../../../../sdk/contract/attempt-counter.ts';
import { countsOf } from '../../../../support/attempt-counts.ts';
import { engine } from '../../../../support/engines/index.ts';
import { FreshTable, withCredentials } from './fresh-table.ts';

describe('failed attempts on DynamoDB', () => {
  const endpoint = engine('dynamodb');
  withCredentials();

  attemptCounterContract('dynamodb', async (limits) => {
    const table = new FreshTable(endpoint());
    const stores = [await table.openPorts({ createTable: true }), await table.openPorts({ createTable: true })];
    const { one, other } = await countsOf(stores, limits);
    return { one, other, dispose: () => table.dispose() };
  });
});
