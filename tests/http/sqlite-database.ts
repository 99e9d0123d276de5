import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../sdk/contract/http/harness.ts';

/** Users in a new file for each service. */
export const sqliteDatabase: Database = {
  name: 'SQLite',
  open: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-http-sqlite-'));
    return {
      yaml: { type: 'sqlite', path: join(folder, 'users.db') },
      dispose: () => rm(folder, { recursive: true, force: true }),
    };
  },
};
