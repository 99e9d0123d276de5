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
  readonly purl: string;
  readonly 'bom-ref': string;
}

interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

const readJson = async <A>(file: URL): Promise<A> => JSON.parse(await readFile(file, 'utf8'));

const manifestIn = (folder: string): Promise<Component & { readonly dependencies?: object }> =>
  readJson(new URL(`${folder}/package.json`, root));

const nameOf = ({ group, name, version }: Component): string =>
  `${group === undefined ? '' : `${group}/`}${name} ${version}`;

/** The packages whose sources are in the built files, by their source maps. */
const bundled = async (): Promise<ReadonlySet<string>> => {
  const names = new Set<string>();
  for (const file of await readdir(dist)) {
    if (!file.endsWith('.js.map')) continue;
    const { sources } = await readJson<{ readonly sources: readonly string[] }>(new URL(file, dist));
    for (const source of sources) {
      const folder = /^(?:[\w-]+:)?(?:\.\.\/)*((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1];
      // The maps of a package itself may name sources that it does not have.
      if (folder === undefined || !existsSync(new URL(`${folder}/package.json`, root))) continue;
      names.add(nameOf(await manifestIn(folder)));
    }
  }
  return names;
};

/** The dependencies, those that npm packs and those that it installs, with their own dependencies. */
const installedPackages = async (): Promise<ReadonlySet<string>> => {
  const { dependencies } = await readJson<{ dependencies: object }>(new URL('package.json', root));
  const folders = new Set(Object.keys(dependencies).map((name) => `node_modules/${name}`));
  const names = new Set<string>();
  for (const folder of folders) {
    const manifest = await manifestIn(folder);
    names.add(nameOf(manifest));
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      const inner = `${folder}/node_modules/${name}`;
      folders.add(existsSync(new URL(inner, root)) ? inner : `node_modules/${name}`);
    }
  }
  return names;
};

/** Writes the notices for a program that contains the package `inner` with these files. Resolves with their text. */
const noticesFor = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-notices-'));
  try {
    const packageFolder = join(folder, 'node_modules/inner');
    await mkdir(packageFolder, { recursive: true });
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ version: '1.0.0', packages: {} }));
    for (const [name, text] of Object.entries(files)) await writeFile(join(packageFolder, name), text);
    const place = pathToFileURL(`${folder}/`);
    await writeNotices(place, place, [join(packageFolder, 'index.js')], []);
    return await readFile(new URL('THIRD-PARTY-NOTICES', place), 'utf8');
  } finally {
    await rm(folder, { recursive: true });
  }
};

const manifestOfInner = (more: object): string => JSON.stringify({ name: 'inner', version: '1.0.0', ...more });

describe('what is shipped of other packages', () => {
  it('is named in the notices and in the SBOM', async () => {
    const notices = await readFile(new URL('THIRD-PARTY-NOTICES', dist), 'utf8');
    const { components } = await readJson<Sbom>(new URL('sbom.cdx.json', dist));
    const listed = new Set(components.map(nameOf));
    const inFiles = await bundled();
    expect(inFiles.size).to.be.greaterThan(50);
    const installed = await installedPackages();
    expect(installed.size).to.be.greaterThan(20);
    const ofSwagger = await Promise.all(
      ['swagger-ui-dist', 'koa2-swagger-ui'].map((name) => manifestIn(`node_modules/${name}`)),
    );
    for (const name of [...inFiles, ...installed, ...ofSwagger.map(nameOf)]) {
      expect(notices).to.include(`\n${name} (`);
      expect([...listed], name).to.include(name);
    }
  });

  it('has a copyright holder in each notice', async () => {
    const notices = await readFile(new URL('THIRD-PARTY-NOTICES', dist), 'utf8');
    expect(notices).to.not.match(/<year>|<copyright holders>|<owner>/);
    const between = (name: string): string => notices.split(`\n${name} `)[1]?.slice(0, 250) ?? '';
    expect(between('@epic-web/invariant')).to.include('\nCopyright (c) Kent C. Dodds\n');
    expect(between('copy-to')).to.include('\nCopyright (c) dead_horse\n');
    expect(between('koa-compose')).to.include('\nCopyright (c) 2013 TJ Holowaychuk\n');
    expect(between('standardwebhooks')).to.include('\nCopyright (c) Standard Webhooks\n');
  });

  it('is described without the folder, the time or a random part of the build', async () => {
    const { metadata } = await readJson<Sbom>(new URL('sbom.cdx.json', dist));
    const { version } = await manifestIn('.');
    expect(metadata.component.purl).to.equal(`pkg:npm/latchkey@${version}`);
    expect(metadata.component['bom-ref']).to.equal(`pkg:npm/latchkey@${version}`);
    expect(Object.keys(metadata)).to.deep.equal(['component']);
    for (const file of await readdir(dist, { recursive: true, withFileTypes: true })) {
      // The compile cache of this machine is not packed.
      if (!file.isFile() || file.parentPath.startsWith(fileURLToPath(new URL('cache', dist)))) continue;
      const text = await readFile(join(file.parentPath, file.name), 'latin1');
      expect(text.includes(fileURLToPath(root)), file.name).to.equal(false);
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
    expect(await rejection(noticesFor({ 'package.json': manifestOfInner({ author: 'A. Author' }) })))
      .to.be.instanceOf(Error)
      .and.have.property('message', 'inner 1.0.0 is shipped but has no license');
  });

  it('has a license file or an author, or the build fails', async () => {
    for (const files of [{}, { NOTICE: 'Made by somebody' }])
      expect(await rejection(noticesFor({ 'package.json': manifestOfInner({ license: 'MIT' }), ...files })))
        .to.be.instanceOf(Error)
        .and.have.property(
          'message',
          'inner 1.0.0 is shipped without a license file, and without an author for the standard text',
        );
    const byFile = await noticesFor({ 'package.json': manifestOfInner({ license: 'MIT' }), 'LICENSE.md': 'Do it' });
    expect(byFile).to.match(/\ninner 1\.0\.0 \(MIT\)\n\n-+\n\nDo it\n$/);
    for (const author of ['A. Author <a@example.com> (https://example.com)', { name: 'A. Author', url: 'here' }])
      for (const license of ['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'Apache-2.0', 'BlueOak-1.0.0']) {
        const notice = await noticesFor({ 'package.json': manifestOfInner({ license, author }) });
        expect(notice.match(/^Copyright .*/gm), license).to.deep.equal(['Copyright (c) A. Author']);
      }
  });
});
