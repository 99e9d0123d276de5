import { copyFileSync, cpSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Section } from '../bench.ts';
import { outputOf } from '../child.ts';
import { root } from '../machine.ts';

const patience = 5 * 60_000;

/** A size as the files say, and as the disk gives it out in blocks; in bytes. */
interface Size {
  readonly apparent: number;
  readonly blocks: number;
}

/** The unit of `blocks` in stat(2), in bytes. */
const blockSize = 512;

/** The size of a folder with all that is in it; a file with several names is there once. */
const sizeOf = (path: string, seen = new Set<string>()): Size => {
  const status = lstatSync(path);
  const { size, blocks, dev, ino } = status;
  const file = `${dev}:${ino}`;
  if (seen.has(file)) return { apparent: 0, blocks: 0 };
  seen.add(file);
  const names = status.isDirectory() ? readdirSync(path) : [];
  const inner = names.map((name) => sizeOf(join(path, name), seen));
  return {
    apparent: inner.reduce((sum, each) => sum + each.apparent, size),
    blocks: inner.reduce((sum, each) => sum + each.blocks, blocks * blockSize),
  };
};

const { files }: { readonly files: readonly string[] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const unpublished = new Set(files.filter((name) => name.startsWith('!')).map((name) => name.slice(1)));

/** What an installation takes on the disk. */
export const deployed: Section = {
  name: 'deployed',
  title: 'Installed',
  explanation: 'What an installation without development packages takes on the disk.',
  isLong: true,
  run: async (bench) => {
    const folder = bench.folder('deployed');
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      copyFileSync(join(root, file), join(folder, file));
    bench.say('  npm ci --omit=dev');
    await outputOf(['npm', ['ci', '--omit=dev', '--no-audit', '--no-fund']], { folder, patience });
    // What the package leaves out is not deployed.
    const isDeployed = (path: string) => !unpublished.has(relative(root, path));
    cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true, filter: isDeployed });
    const parts = ['node_modules', 'dist'].map((name) => ({ name, size: sizeOf(join(folder, name)) }));
    const total = (kind: keyof Size) => [parts.reduce((sum, { size }) => sum + size[kind], 0) / 1e6];
    const limit = { kind: 'at most', value: 60, unit: 'MB' } as const;
    return {
      contenders: [],
      figures: parts.map(({ name, size }) => ({ name, unit: 'MB', values: [size.apparent / 1e6] })),
      rows: [
        { name: 'installed files, as long as they are', limit, values: total('apparent'), cpu: [] },
        { name: 'installed files, in the blocks that the disk gives them', limit, values: total('blocks'), cpu: [] },
      ],
      notes: ['`npm ci --omit=dev` and the built service; a MB is a million bytes.'],
    };
  },
};
