import { readdir, readFile, writeFile } from 'node:fs/promises';
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import type { Metafile } from 'esbuild';
import { PackageURL } from 'packageurl-js';
import licenses from 'spdx-license-list/full.js';

/** A bundled package. */
interface Package {
  readonly name: string;
  readonly version: string;
  /** Its license as an SPDX expression. */
  readonly license: string;
  /** The checksum of the lock file: `sha512-` and base64. */
  readonly integrity: string;
  /** Its license and notice texts. */
  readonly texts: readonly string[];
}

/** The packages of the lock file by folder. */
type Locked = Readonly<Record<string, { readonly integrity?: string; readonly dev?: boolean } | undefined>>;

const folderOfPackage = /^(?:[\w-]+:)?((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** The folders of bundled packages, relative to the root. */
const foldersIn = ({ outputs }: Metafile): readonly string[] => {
  const paths = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  return [...new Set(paths.flatMap((path) => folderOfPackage.exec(path)?.[1] ?? []))].sort();
};

const legalFile = /^(licen[cs]e|notice|copying)([-.].*)?$/i;

/** The license files of a package, or else the standard text of the license that it names. */
const textsIn = async (place: URL, license: string): Promise<readonly string[]> => {
  const files = (await readdir(place)).filter((name) => legalFile.test(name)).sort();
  if (files.length > 0) return Promise.all(files.map((name) => readFile(new URL(name, place), 'utf8')));
  const known = licenses[license];
  return known === undefined ? [] : [known.licenseText];
};

const packageIn = async (root: URL, folder: string, locked: Locked): Promise<Package> => {
  const place = new URL(`${folder}/`, root);
  const { name, version, license } = JSON.parse(await readFile(new URL('package.json', place), 'utf8'));
  const texts = typeof license === 'string' ? await textsIn(place, license) : [];
  if (texts.length === 0) throw new Error(`${name} ${version} is bundled but has no license`);
  return { name, version, license, integrity: locked[folder]?.integrity ?? '', texts };
};

/** The same version of a package may be in several folders. */
const distinct = (packages: readonly Package[]): readonly Package[] => [
  ...new Map(packages.map((each) => [`${each.name}@${each.version}`, each])).values(),
];

const rule = '-'.repeat(80);

const noticeOf = ({ name, version, license, texts }: Package): string =>
  [rule, `${name} ${version} (${license})`, rule, ...texts.map((text) => text.trim())].join('\n\n');

const head = `The files of Latchkey contain the packages below, in whole or in part. Each is under its own license.`;

const licenseOf = (license: string): Models.License =>
  license.includes(' ') ? new Models.LicenseExpression(license) : new Models.SpdxLicense(license);

const componentOf = ({ name: full, version, license, integrity }: Package): Models.Component => {
  const [name = full, group] = full.split('/').reverse();
  const purl = new PackageURL('npm', group, name, version, undefined, undefined).toString();
  const component = new Models.Component(Enums.ComponentType.Library, name, { group, version, purl });
  component.bomRef.value = purl;
  component.licenses.add(licenseOf(license));
  if (integrity.startsWith('sha512-'))
    component.hashes.set(Enums.HashAlgorithm['SHA-512'], Buffer.from(integrity.slice(7), 'base64').toString('hex'));
  return component;
};

/**
 * Writes THIRD-PARTY-NOTICES with the licenses of bundled packages, and sbom.cdx.json, a CycloneDX list of bundled and
 * installed packages. Throws if a package has no license.
 */
export const writeNotices = async (root: URL, dist: URL, metafile: Metafile): Promise<void> => {
  const { version, packages }: { readonly version: string; readonly packages: Locked } = JSON.parse(
    await readFile(new URL('package-lock.json', root), 'utf8'),
  );
  const read = (folder: string): Promise<Package> => packageIn(root, folder, packages);
  const bundled = distinct(await Promise.all(foldersIn(metafile).map(read)));
  const folders = Object.entries(packages).flatMap(([path, entry]) => (path === '' || entry?.dev ? [] : [path]));
  const installed = await Promise.all(folders.filter((path) => path.startsWith('node_modules/')).map(read));

  const bom = new Models.Bom();
  bom.metadata.component = new Models.Component(Enums.ComponentType.Application, 'latchkey', { version });
  for (const each of distinct([...bundled, ...installed])) bom.components.add(componentOf(each));
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  await writeFile(new URL('sbom.cdx.json', dist), serializer.serialize(bom, { sortLists: true, space: 2 }));
  await writeFile(new URL('THIRD-PARTY-NOTICES', dist), `${[head, ...bundled.map(noticeOf)].join('\n\n')}\n`);
};
