import { httpSuite } from 'latchkey/contract/http';
import { mariadb, scratchTables } from './mariadb.ts';

describe('the service', () => {
  const url = mariadb();

  httpSuite({
    name: 'MariaDB',
    open: async () => {
      const { options, drop } = scratchTables(url());
      return { yaml: { type: 'module', module: './dist/src/index.js', ...options }, dispose: drop };
    },
  });
});
