import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { isUrl, targetsIn } from '../docs/link-targets.ts';
import { eachWithInstallation } from './installation.ts';
import { installPacked } from './packed.ts';

/** What is read beside the program: the documents, and what they lead to. */
const attached =
  /^(\w+\.md|docs\/([\w-]+\.(md|svg)|images\/.*\.png)|compose[\w.]*\.yaml|deploy\/.*|examples\/[\w-]+\/((src|test)\/)?[\w.-]+|benchmarks\/(contenders\/.*|results\.json))$/;

/** It tells where things are in the sources, which the package has compiled only. */
const aboutSources = 'docs/architecture.md';

/** The links of a document, as paths from the root of the package; those to elsewhere left out. */
const linksOf = (folder: string, document: string): readonly string[] =>
  targetsIn(readFileSync(join(folder, document), 'utf8'))
    .filter((target) => !isUrl(target) && !target.startsWith('#'))
    .map((target) => join(dirname(document), target.replace(/#.*/, '')));

describe('the published package', () => {
  const installation = eachWithInstallation();

  it('holds the program, the configuration, the readme and the license, and runs', async function () {
    // Packing compresses binaries for every platform.
    this.timeout(120_000);
    const { folder } = installation();
    const modules = join(folder, 'node_modules');
    const all = await installPacked(folder);
    const paths = all.filter((path) => !path.startsWith('node_modules/'));
    expect(paths).to.include.members(['README.md', 'CHANGELOG.md', 'LICENSE', 'package.json', 'config/local.yaml']);
    const page = paths.filter((path) => path.startsWith('dist/swagger-ui/'));
    for (const name of ['index.html', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE', 'index.html.LICENSE.txt'])
      expect(page).to.include(`dist/swagger-ui/${name}`);
    for (const path of paths.filter((path) => !page.includes(path) && !attached.test(path)))
      expect(path).to.match(
        /^(dist\/([\w-]+\.js(\.map)?|types\/.*\.d\.ts|latchkey\.cjs|THIRD-PARTY-NOTICES|sbom\.cdx\.json)|config\/.*\.yaml|LICENSE|package\.json)$/,
      );
    expect(
      paths.filter((path) => path.startsWith('dist/cache/')),
      'what this machine compiled',
    ).to.deep.equal([]);

    // What npm 10 and 11 would try to compile, and what npm 12 would warn of, if npm installed it.
    for (const name of ['argon2', 'bcrypt', 'better-sqlite3'])
      expect(all, name).to.include(`node_modules/${name}/package.json`);

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
    const run = installation().node(['node_modules/latchkey/dist/latchkey.cjs', '--version']);
    expect(await run.ended).to.equal(0);
    expect(run.stdout).to.equal(stdout);
    const checked = installation().node(['node_modules/latchkey/dist/latchkey.cjs', 'check', 'latchkey.yaml']);
    expect(await checked.ended).to.equal(0);
  });
});
