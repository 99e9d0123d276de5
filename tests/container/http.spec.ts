import type { Database } from '../../sdk/contract/http/harness.ts';
import { serviceSuite } from '../../sdk/contract/http/suite.ts';
import { inContainers } from './contained-service.ts';

const database: Database = {
  name: 'SQLite in containers',
  // In the folder of the harness, where each container finds the users of the others.
  open: async () => ({ yaml: { type: 'sqlite', path: 'users.db' }, dispose: async () => {} }),
};

// Not what depends on the store: the image adds files, native packages and a user, which this half uses as well.
serviceSuite(database, inContainers);
