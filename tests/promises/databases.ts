import type { Database } from '../http/harness.ts';

/** The embedded store, in the folder of the installation. */
export const sqlite: Database = {
  name: 'sqlite',
  open: async () => ({ yaml: { type: 'sqlite', path: 'users.db' }, dispose: async () => {} }),
};
