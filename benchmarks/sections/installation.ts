import { copyFileSync, cpSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Section } from '../bench.ts';
import { outputOf } from '../child.ts';
import { root } from '../machine.ts';

const installTimeoutMs = 5 * 60_000;

/** Sum of file sizes, and of allocated blocks; in bytes. */
interface Size {
  readonly apparent: number;
  readonly blocks: number;
}

/** The unit of `blocks` in stat(2), in bytes. */
const blockBytes = 512;

/** The size of a folder with its contents; hard links are counted once. */
const sizeOf = (path: string, result = new Set<string>()): Size => {
  const status = lstatSync(path);
  const { size, blocks, dev, ino } = status;
  const file = `${dev}:${ino}`;
  if (result.has(file)) return { apparent: 0, blocks: 0 };
  result.add(file);
  const names = status.isDirectory() ? readdirSync(path) : [];
  const inner = names.map((name) => sizeOf(join(path, name), result));
  return {
    apparent: inner.reduce((sum, each) => sum + each.apparent, size),
    blocks: inner.reduce((sum, each) => sum + each.blocks, blocks * blockBytes),
  };
};

const { files }: { readonly files: readonly string[] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const unpublished = new Set(files.filter((name) => name.startsWith('!')).map((name) => name.slice(1)));

/** Disk space of an installation. */
export const installation: Section = {
  name: 'installation',
  title: 'Installation size',
  explanation: 'Disk space of an installation without development packages.',
  isLong: true,
  run: async (bench) => {
    const folder = bench.folder('installation');
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      copyFileSync(join(root, file), join(folder, file));
    bench.log('  npm ci --omit=dev');
    await outputOf(['npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund']], {
      folder,
      timeoutMs: installTimeoutMs,
    });
    // Files that are not published are not part of an installation.
    const isPublished = (path: string) => !unpublished.has(relative(root, path));
    cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true, filter: isPublished });
    const parts = ['node_modules', 'dist'].map((name) => ({ name, size: sizeOf(join(folder, name)) }));
    const total = (kind: keyof Size) => [parts.reduce((sum, { size }) => sum + size[kind], 0) / 1e6];
    const limit = { kind: 'at most', value: 60, unit: 'MB' } as const;
    return {
      contenders: [],
      figures: parts.map(({ name, size }) => ({ name, unit: 'MB', values: [size.apparent / 1e6] })),
      rows: [
        { name: 'installed files, apparent size', limit, values: total('apparent'), cpu: [] },
        { name: 'installed files, size on disk', limit, values: total('blocks'), cpu: [] },
      ],
      notes: ['`npm ci --omit=dev` and the built service; 1 MB is a million bytes.'],
    };
  },
};
