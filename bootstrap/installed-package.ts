import { existsSync, readFileSync } from 'node:fs';
import * as t from 'io-ts';

/** The nearest parent folder with a package.json; sources and compiled files have different depths. */
const packageAbove = (folder: URL): URL => {
  if (existsSync(new URL('package.json', folder))) return folder;
  const parent = new URL('..', folder);
  if (parent.href === folder.href) throw new Error('package.json is missing from the installation');
  return packageAbove(parent);
};

/** The folder in which this package is installed. */
export const packageFolder: URL = packageAbove(new URL('.', import.meta.url));

const Package = t.type({ version: t.string });

const readVersion = (): string => {
  const content: unknown = JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8'));
  if (!Package.is(content)) throw new Error('package.json has no version');
  return content.version;
};

/** The version in the package.json of this package. */
export const version: string = readVersion();
