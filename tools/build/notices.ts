import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import { PackageURL } from 'packageurl-js';
import licenses from 'spdx-license-list/full.js';

/** A package that is shipped or installed with Latchkey. */
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

/** The folders of the packages of modules, relative to the root. */
const foldersOf = (modules: readonly string[], root: URL): readonly string[] =>
  modules.flatMap((id) => folderOfPackage.exec(id.replace(fileURLToPath(root), ''))?.[1] ?? []);

const legalFile = /^(licen[cs]e|notice|copying)([-.].*)?$/i;

/** The copyright holders, by their repositories, of packages that publish neither a license file nor an author. */
const knownHolders: Readonly<Record<string, string | undefined>> = {
  // https://github.com/koajs/compose/blob/master/LICENSE
  'koa-compose': '2013 TJ Holowaychuk',
};

/** The name of an author, who is an object or `name <email> (url)` in a manifest. */
const nameOfAuthor = (author: unknown): string | undefined => {
  if (typeof author === 'string') return author.replace(/[<(].*/, '').trim();
  return typeof author === 'object' && author !== null && 'name' in author ? String(author.name) : undefined;
};

/** The lines of a standard text that name the holder, or leave a blank for it. */
const copyrightLines = /^Copyright .*(?:<year>|yyyy|YEAR|Consortium).*(?:\nCopyright .*)*/m;

/** The standard text of a license with a copyright holder. Undefined for a license without a standard text. */
const standardText = (license: string, holder: string): string | undefined => {
  const text = licenses[license]?.licenseText;
  const copyright = `Copyright (c) ${holder}`;
  if (text === undefined || copyrightLines.test(text)) return text?.replace(copyrightLines, () => copyright);
  return `${copyright}\n\n${text}`;
};

const packageIn = async (root: URL, folder: string, locked: Locked): Promise<Package> => {
  const place = new URL(`${folder}/`, root);
  const { name, version, license, author } = JSON.parse(await readFile(new URL('package.json', place), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${name} ${version} is shipped but has no license`);
  const files = (await readdir(place)).filter((file) => legalFile.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, place), 'utf8')));
  const integrity = locked[folder]?.integrity ?? '';
  if (files.some((file) => !/^notice/i.test(file))) return { name, version, license, integrity, texts };
  const holder = nameOfAuthor(author) || knownHolders[name];
  const standard = holder ? standardText(license, holder) : undefined;
  if (standard === undefined)
    throw new Error(
      `${name} ${version} is shipped without a license file, and without an author for the standard text`,
    );
  return { name, version, license, integrity, texts: [standard, ...texts] };
};

/** The same version of a package may be in several folders. */
const distinct = (packages: readonly Package[]): readonly Package[] => [
  ...new Map(packages.map((each) => [`${each.name}@${each.version}`, each])).values(),
];

const rule = '-'.repeat(80);

const noticeOf = ({ name, version, license, texts }: Package): string =>
  [rule, `${name} ${version} (${license})`, rule, ...texts.map((text) => text.trim())].join('\n\n');

const head =
  'Latchkey contains the packages below, in whole or in part, or is installed with them. Each has its own license.';

const licenseOf = (license: string): Models.License =>
  license.includes(' ') ? new Models.LicenseExpression(license) : new Models.SpdxLicense(license);

const componentWith = (type: Enums.ComponentType, full: string, version: string): Models.Component => {
  const [name = full, group] = full.split('/').reverse();
  const purl = new PackageURL('npm', group, name, version, undefined, undefined).toString();
  return new Models.Component(type, name, { group, version, purl, bomRef: purl });
};

const componentOf = ({ name, version, license, integrity }: Package): Models.Component => {
  const component = componentWith(Enums.ComponentType.Library, name, version);
  component.licenses.add(licenseOf(license));
  if (integrity.startsWith('sha512-'))
    component.hashes.set(Enums.HashAlgorithm['SHA-512'], Buffer.from(integrity.slice(7), 'base64').toString('hex'));
  return component;
};

/**
 * Writes THIRD-PARTY-NOTICES and sbom.cdx.json (CycloneDX) with the licenses of all shipped packages: those of bundled
 * modules, which are given by their ids, those from which the build copies files, and those that are installed with
 * Latchkey, whether npm packs them (bundled dependencies) or not. Throws if a package has no license, or neither a license
 * file nor an author.
 */
export const writeNotices = async (
  root: URL,
  dist: URL,
  modules: readonly string[],
  copied: readonly string[],
): Promise<void> => {
  const { version, packages }: { readonly version: string; readonly packages: Locked } = JSON.parse(
    await readFile(new URL('package-lock.json', root), 'utf8'),
  );
  const installed = Object.entries(packages).flatMap(([path, entry]) =>
    path.startsWith('node_modules/') && !entry?.dev ? [path] : [],
  );
  const folders = [...foldersOf(modules, root), ...copied.map((name) => `node_modules/${name}`), ...installed];
  const shipped = distinct(
    await Promise.all([...new Set(folders)].sort().map((folder) => packageIn(root, folder, packages))),
  );

  const bom = new Models.Bom();
  bom.metadata.component = componentWith(Enums.ComponentType.Application, 'latchkey', version);
  for (const each of shipped) bom.components.add(componentOf(each));
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  const notices = [head, ...shipped.map(noticeOf)].join('\n\n');
  await writeFile(new URL('sbom.cdx.json', dist), serializer.serialize(bom, { sortLists: true, space: 2 }));
  await writeFile(new URL('THIRD-PARTY-NOTICES', dist), `${notices}\n`);
};
