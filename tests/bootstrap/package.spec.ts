import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { isElsewhere, targetsIn } from '../docs/link-targets.ts';
import { eachWithInstallation } from './installation.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const npm = (args: readonly string[], cwd: string): string => {
  const run = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout;
};

/** What is read beside the program: the documents, and what they lead to. */
const attached =
  /^(\w+\.md|docs\/([\w-]+\.(md|svg)|images\/.*\.png)|compose[\w.]*\.yaml|deploy\/.*|examples\/[\w-]+\/((src|test)\/)?[\w.-]+|benchmarks\/(contenders\/.*|results\.json))$/;

/** It tells where things are in the sources, which the package has compiled only. */
const aboutSources = 'docs/architecture.md';

/** The links of a document, as paths from the root of the package; those to elsewhere left out. */
const linksOf = (folder: string, document: string): readonly string[] =>
  targetsIn(readFileSync(join(folder, document), 'utf8'))
    .filter((target) => !isElsewhere(target) && !target.startsWith('#'))
    .map((target) => join(dirname(document), target.replace(/#.*/, '')));

describe('the published package', () => {
  const installation = eachWithInstallation();

  it('holds the program, the configuration, the readme and the license, and runs', async () => {
    const { folder } = installation();
    const [packed] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root));
    const paths: readonly string[] = packed.files.map(({ path }: { path: string }) => path);
    expect(paths).to.include.members(['README.md', 'CHANGELOG.md', 'LICENSE', 'package.json', 'config/local.yaml']);
    const page = paths.filter((path) => path.startsWith('dist/swagger-ui/'));
    for (const name of ['index.html', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE', 'index.html.LICENSE.txt'])
      expect(page).to.include(`dist/swagger-ui/${name}`);
    for (const path of paths.filter((path) => !page.includes(path) && !attached.test(path)))
      expect(path).to.match(/^(dist\/.*\.(js(\.map)?|d\.ts)|config\/.*\.yaml|LICENSE|package\.json)$/);
    expect(paths, 'what only the build needs').not.to.include('dist/build/swagger-ui.js');

    // As an installation would lay it out, with the packages that are here already instead of fresh ones.
    const modules = join(folder, 'node_modules');
    mkdirSync(join(modules, 'latchkey'), { recursive: true });
    spawnSync('tar', ['-xzf', join(folder, packed.filename), '-C', join(modules, 'latchkey'), '--strip-components=1']);
    symlinkSync(join(root, 'node_modules'), join(modules, 'latchkey', 'node_modules'));
    const documents = paths.filter((path) => path.endsWith('.md') && path !== aboutSources);
    expect(documents).to.include.members(['README.md', 'CONTRIBUTING.md', 'docs/README.md']);
    for (const document of documents) {
      const dangling = linksOf(join(modules, 'latchkey'), document).filter(
        (path) => !existsSync(join(modules, 'latchkey', path)),
      );
      expect(dangling, document).to.deep.equal([]);
    }
    const { status, stdout } = await installation().command(['--version'], {});
    expect(status).to.equal(0);
    const run = installation().node(['node_modules/latchkey/dist/bootstrap/main.js', '--version']);
    expect(await run.ended).to.equal(0);
    expect(run.stdout).to.equal(stdout);
    const checked = installation().node(['node_modules/latchkey/dist/bootstrap/main.js', 'check', 'latchkey.yaml']);
    expect(await checked.ended).to.equal(0);
  });
});
