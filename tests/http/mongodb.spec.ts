import { httpSuite } from '../../sdk/contract/http/suite.ts';
import { ScratchDatabase } from '../integration/adapters/stores/mongodb/scratch-database.ts';
import { engine } from '../support/engines/index.ts';

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
