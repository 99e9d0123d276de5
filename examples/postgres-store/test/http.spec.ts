import { httpSuite } from 'latchkey/contract/http';
import { postgres, scratchTable } from './postgres.ts';

describe('the service', () => {
  const url = postgres();

  httpSuite({
    name: 'PostgreSQL',
    lacks: ['listing', 'search', 'events', 'attempts'],
    open: async () => {
      const { options, drop } = scratchTable(url());
      return { yaml: { type: 'module', module: './dist/src/index.js', ...options }, dispose: drop };
    },
  });
});
