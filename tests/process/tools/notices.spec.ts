import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { rejection } from '../../../sdk/contract/outcomes.ts';
import { writeNotices } from '../../../tools/build/notices.ts';

const root = new URL('../../../', import.meta.url);
const dist = new URL('dist/', root);

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
}

const nameOf = ({ group, name, version }: Component): string =>
  `${group === undefined ? '' : `${group}/`}${name} ${version}`;

/** The packages whose sources are in the built files, by their source maps. */
const bundled = async (): Promise<ReadonlySet<string>> => {
  const names = new Set<string>();
  for (const file of await readdir(dist)) {
    if (!file.endsWith('.js.map')) continue;
    const { sources }: { readonly sources: readonly string[] } = JSON.parse(
      await readFile(new URL(file, dist), 'utf8'),
    );
    for (const source of sources) {
      const folder = /^(?:[\w-]+:)?(?:\.\.\/)*((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1];
      // The maps of a package itself may name sources that it does not have.
      if (folder === undefined || !existsSync(new URL(`${folder}/package.json`, root))) continue;
      const { name, version } = JSON.parse(await readFile(new URL(`${folder}/package.json`, root), 'utf8'));
      names.add(`${name} ${version}`);
    }
  }
  return names;
};

describe('what is shipped of other packages', () => {
  it('is named in the notices and in the SBOM, as far as it is in the files', async () => {
    const notices = await readFile(new URL('THIRD-PARTY-NOTICES', dist), 'utf8');
    const { components }: { readonly components: readonly Component[] } = JSON.parse(
      await readFile(new URL('sbom.cdx.json', dist), 'utf8'),
    );
    const listed = new Set(components.map(nameOf));
    const names = await bundled();
    expect(names.size).to.be.greaterThan(50);
    for (const name of names) {
      expect(notices).to.include(`\n${name} (`);
      expect([...listed], name).to.include(name);
    }
  });

  it('is installed or in the files, and never both', async () => {
    const { packages } = JSON.parse(await readFile(new URL('package-lock.json', root), 'utf8'));
    const installed = Object.entries<{ readonly dev?: boolean; readonly version: string }>(packages)
      .filter(([path, { dev }]) => path.startsWith('node_modules/') && dev !== true)
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')} ${version}`);
    const names = await bundled();
    expect(installed.filter((name) => names.has(name))).to.deep.equal([]);
  });

  it('has a license, or the build fails', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-notices-'));
    try {
      const packageFolder = join(folder, 'node_modules/nameless');
      await mkdir(packageFolder, { recursive: true });
      await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ version: '1.0.0', packages: {} }));
      await writeFile(join(packageFolder, 'package.json'), JSON.stringify({ name: 'nameless', version: '1.0.0' }));
      const input = { bytesInOutput: 1 };
      const output = { bytes: 1, imports: [], exports: [], inputs: { 'node_modules/nameless/index.js': input } };
      const place = pathToFileURL(`${folder}/`);
      const error = await rejection(writeNotices(place, place, { inputs: {}, outputs: { 'a.js': output } }));
      expect(error)
        .to.be.instanceOf(Error)
        .and.have.property('message', 'nameless 1.0.0 is bundled but has no license');
      expect(await readdir(fileURLToPath(place))).to.not.include('sbom.cdx.json');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
