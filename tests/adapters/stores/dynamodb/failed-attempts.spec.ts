import { failedAttemptsContract } from '../../../contract/failed-attempts.ts';
import { engine } from '../../../engines/index.ts';
import { countsOf } from '../counts.ts';
import { FreshTable, withCredentials } from './fresh-table.ts';

describe('failed attempts on DynamoDB', () => {
  const endpoint = engine('dynamodb');
  withCredentials();

  failedAttemptsContract('dynamodb', async (limits) => {
    const table = new FreshTable(endpoint());
    const stores = [await table.open({ createTable: true }), await table.open({ createTable: true })];
    const { one, other } = await countsOf(stores, limits);
    return { one, other, dispose: () => table.dispose() };
  });
});
