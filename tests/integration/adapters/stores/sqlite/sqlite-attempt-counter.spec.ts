import { attemptCounterContract } from '../../../../../sdk/contract/attempt-counter.ts';
import { countsOf } from '../../../../support/attempt-counts.ts';
import { TemporaryDatabase } from './temporary-database.ts';

attemptCounterContract('sqlite', async (limits) => {
  const database = await TemporaryDatabase.create();
  const stores = [await database.openPorts(), await database.openPorts()];
  const { one, other, close } = await countsOf(stores, limits);
  return {
    one,
    other,
    dispose: async () => {
      await close();
      await database.dispose();
    },
  };
});
