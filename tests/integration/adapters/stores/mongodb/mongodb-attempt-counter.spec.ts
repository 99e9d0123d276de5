import { attemptCounterContract } from '../../../../../sdk/contract/attempt-counter.ts';
import { countsOf } from '../../../../support/attempt-counts.ts';
import { engine } from '../../../../support/engines/index.ts';
import { ScratchDatabase } from './scratch-database.ts';

describe('failed attempts on MongoDB', () => {
  const uri = engine('mongodb');

  attemptCounterContract('mongodb', async (limits) => {
    const database = new ScratchDatabase(uri());
    const { one, other } = await countsOf([await database.openPorts(), await database.openPorts()], limits);
    return { one, other, dispose: () => database.dispose() };
  });
});
