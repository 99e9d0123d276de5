import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { isUrl, targetsIn } from '../docs/link-targets.ts';
import { eachWithInstallation } from './installation.ts';
import { installPacked } from './packed.ts';

/** The documents and the files that they link to. */
const attached =
  /^(\w+\.md|docs\/([\w-]+\.(md|svg)|images\/.*\.(png|svg)|results\/[\w-]+\.csv)|compose[\w.]*\.yaml|deploy\/.*|examples\/[\w-]+\/((src|test|go|hey-api|java|openapi-typescript|python)\/)?[\w.-]+|benchmarks\/(contenders\/.*|results\.json))$/;

/** It links to source files, which the package does not contain. */
const aboutSources = 'docs/architecture.md';

/** The links of a document inside the package, as paths from its root. */
const linksOf = (folder: string, document: string): readonly string[] =>
  targetsIn(readFileSync(join(folder, document), 'utf8'))
    .filter((target) => !isUrl(target) && !target.startsWith('#'))
    .map((target) => join(dirname(document), target.replace(/#.*/, '')));

describe('the published package', () => {
  const installation = eachWithInstallation();

  it('contains the program, the configuration, the readme and the license, and runs', async function () {
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
        /^(dist\/([\w-]+\.js(\.map)?|types\/.*\.d\.ts|latchkey\.cjs|THIRD-PARTY-NOTICES|(sbom\.cdx|compatibility)\.json)|config\/.*\.yaml|LICENSE|package\.json)$/,
      );
    expect(
      paths.filter((path) => path.startsWith('dist/cache/')),
      'the compile cache of this machine',
    ).to.deep.equal([]);

    // npm warns of them at the installation of the package.
    const { scripts } = JSON.parse(readFileSync(join(modules, 'latchkey/package.json'), 'utf8'));
    expect(scripts).not.to.have.any.keys('preinstall', 'install', 'postinstall', 'prepare');

    // Bundled, because npm 10 and 11 would compile them and npm 12 would warn.
    for (const name of ['argon2', 'bcrypt', 'better-sqlite3'])
      expect(all, name).to.include(`node_modules/${name}/package.json`);
    const notices = readFileSync(join(modules, 'latchkey/dist/THIRD-PARTY-NOTICES'), 'utf8');
    for (const path of all.filter((path) => /^node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path))) {
      const { name, version } = JSON.parse(readFileSync(join(modules, 'latchkey', path), 'utf8'));
      expect(notices).to.include(`\n${name} ${version} (`);
    }

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
