import { spawnSync } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What `npm pack` packs: this clone, or a file that was packed from it before all tests. */
export const packable = process.env.LATCHKEY_PACKED ?? root;

/**
 * Packs the package as `npm pack` does and lays it out in a folder as `npm install FILE` would, offline: packages that
 * are not inside the file are linked from this clone. Returns the paths of the files in the package.
 * Throws the error text of npm or tar.
 */
export const installPacked = async (folder: string): Promise<readonly string[]> => {
  const run = (command: string, args: readonly string[], cwd: string): string => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  };
  const listed = run('npm', ['pack', packable, '--json', '--ignore-scripts', '--pack-destination', folder], root);
  const [packed] = JSON.parse(listed);
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'latchkey'), { recursive: true });
  run('tar', ['-xzf', packed.filename, '-C', 'node_modules/latchkey', '--strip-components=1'], folder);
  const manifest = JSON.parse(await readFile(join(modules, 'latchkey/package.json'), 'utf8'));
  for (const name of Object.keys(manifest.dependencies))
    if (!manifest.bundleDependencies.includes(name))
      await symlink(join(root, 'node_modules', name), join(modules, name));
  await mkdir(join(modules, '.bin'));
  await symlink(join('../latchkey', manifest.bin.latchkey), join(modules, '.bin/latchkey'));
  return packed.files.map(({ path }: { path: string }) => path);
};
