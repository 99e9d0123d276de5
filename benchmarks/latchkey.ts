import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { root } from './machine.ts';
import type { Program } from './server.ts';

/** Headers of a client: its credentials and the password of the user. */
export const headers = {
  Authorization: `Basic ${Buffer.from('bench:a secret of the bench').toString('base64')}`,
  'Content-Type': 'application/json',
  password: 'correct horse',
} as const;

/** The built program. */
export const program = join(root, 'dist', 'latchkey.cjs');

/**
 * The built service with SQLite in `users.db`, Basic keys and defaults; `blocks` override these. `build` is the program of
 * another build.
 */
export const latchkey = (
  folder: string,
  blocks: Readonly<Record<string, unknown>> = {},
  others: Partial<Program> & { readonly flags?: readonly string[]; readonly build?: string } = {},
): Program => {
  const { flags = [], build = program, ...rest } = others;
  const document = {
    server: { host: '127.0.0.1', port: 0, adminPort: 0 },
    database: { type: 'sqlite', path: 'users.db' },
    auth: { type: 'basic', keys: [{ application: 'bench', secret: 'a secret of the bench' }] },
    ...blocks,
  };
  writeFileSync(join(folder, 'latchkey.yaml'), stringify(document));
  return { args: [...flags, build, 'serve', 'latchkey.yaml'], folder, ...rest };
};
