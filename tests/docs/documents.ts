import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const repository = fileURLToPath(new URL('../..', import.meta.url));

const foreign = new Set(['node_modules', 'dist', 'data', '.git']);

const below = (folder: string): readonly string[] =>
  readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    if (foreign.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? below(path) : [path];
  });

/** The paths of all documents of the repository, from its folder. */
export const documentPaths: readonly string[] = below('').filter((path) => path.endsWith('.md'));

export const textOf = (path: string): string => readFileSync(join(repository, path), 'utf8');
