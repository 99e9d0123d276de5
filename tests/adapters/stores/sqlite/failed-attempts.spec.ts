import { failedAttemptsContract } from '../../../contract/failed-attempts.ts';
import { countsOf } from '../counts.ts';
import { TemporaryDatabase } from './temporary-database.ts';

failedAttemptsContract('sqlite', async (limits) => {
  const database = await TemporaryDatabase.create();
  const stores = [await database.open(), await database.open()];
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
