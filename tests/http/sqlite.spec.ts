import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpSuite } from '../../sdk/contract/http/suite.ts';

httpSuite({
  name: 'SQLite',
  open: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-http-sqlite-'));
    return {
      yaml: { type: 'sqlite', path: join(folder, 'users.db') },
      dispose: () => rm(folder, { recursive: true, force: true }),
    };
  },
});
