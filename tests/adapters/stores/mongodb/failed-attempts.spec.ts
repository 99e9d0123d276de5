import { failedAttemptsContract } from '../../../contract/failed-attempts.ts';
import { engine } from '../../../engines/index.ts';
import { countsOf } from '../counts.ts';
import { ScratchDatabase } from './scratch-database.ts';

describe('failed attempts on MongoDB', () => {
  const uri = engine('mongodb');

  failedAttemptsContract('mongodb', async (limits) => {
    const database = new ScratchDatabase(uri());
    const { one, other } = await countsOf([await database.open(), await database.open()], limits);
    return { one, other, dispose: () => database.dispose() };
  });
});
