import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const repository = fileURLToPath(new URL('../..', import.meta.url));

const ignored = new Set(['node_modules', 'dist', 'data', 'release', '.git']);

const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    if (ignored.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });

/** The paths of all Markdown files, relative to the repository. */
export const documentPaths: readonly string[] = filesIn('').filter((path) => path.endsWith('.md'));

export const textOf = (path: string): string => readFileSync(join(repository, path), 'utf8');
