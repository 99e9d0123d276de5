import { httpSuite } from '../../sdk/contract/http/suite.ts';
import { ScratchSchema } from '../integration/adapters/stores/postgresql/scratch-schema.ts';
import { postgresqlUrl } from '../support/postgresql/index.ts';

describe('HTTP over PostgreSQL', () => {
  const url = postgresqlUrl();

  httpSuite({
    name: 'PostgreSQL',
    open: async () => {
      const scratch = await ScratchSchema.create(url());
      return { yaml: scratch.block, dispose: () => scratch.dispose() };
    },
  });
});
