import { ScratchDatabase } from '../adapters/stores/mongodb/scratch-database.ts';
import { engine } from '../engines/index.ts';
import { httpSuite } from './suite.ts';

describe('HTTP over MongoDB', () => {
  const uri = engine('mongodb');

  httpSuite({
    name: 'MongoDB',
    open: async () => {
      const database = new ScratchDatabase(uri());
      return { yaml: { type: 'mongodb', ...database.block }, dispose: () => database.dispose() };
    },
  });
});
