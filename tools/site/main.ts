// `npm run docs:site` builds a site with search from README.md and the documents, in dist/site. SITE_BASE is its path on
// the server, / by default. VitePress is a dependency of this folder alone, so that other installations stay small.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { llmsTextOf, sectionsOf, sidebarOf } from './contents.ts';
import { readSite, repository, withRelativeLinks } from './pages.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const vitepress = join(folder, 'node_modules/vitepress/bin/vitepress.js');
// Inside the folder, where the pages find the modules of VitePress.
const staging = join(folder, 'node_modules/.cache/site');
const output = join(repository, 'dist/site');

const run = (command: string, args: readonly string[], cwd: string): void => {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
};

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const copy = (source: string, target: string): void => {
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(repository, source), target);
};

if (!existsSync(vitepress)) run('npm', ['ci', '--ignore-scripts'], folder);

const { pages, files } = readSite();
const map = pages.find(({ source }) => source === 'docs/README.md');
const home = pages.find(({ source }) => source === 'README.md');
if (map === undefined || home === undefined) throw new Error('README.md or docs/README.md is missing');
const sections = sectionsOf(map);
const summary = 'A user account service: accounts, passwords, verified email addresses';

rmSync(staging, { recursive: true, force: true });
for (const { path, text } of pages) write(join(staging, path), text);
const images = globSync('docs/**/*.{png,svg}', { cwd: repository });
for (const image of images) copy(image, join(staging, image));
for (const [path, source] of files) copy(source, join(staging, 'public', path));
write(join(staging, '.vitepress/config.js'), readFileSync(join(folder, 'config.js'), 'utf8'));
write(
  join(staging, '.vitepress/site.json'),
  JSON.stringify({
    base: process.env.SITE_BASE ?? '/',
    title: home.title,
    description: summary,
    sidebar: sidebarOf(sections, pages),
  }),
);
run(process.execPath, [vitepress, 'build', staging, '--outDir', output], folder);
// For programs: the pages as Markdown with their images, and their list.
for (const page of pages) write(join(output, page.path), withRelativeLinks(page));
for (const image of images) copy(image, join(output, image));
write(join(output, 'llms.txt'), `${llmsTextOf(home.title, summary, sections)}\n`);
