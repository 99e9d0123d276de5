import { existsSync } from 'node:fs';

/** The nearest folder above a place that has a package.json: sources and compiled files lie at different depths in it. */
const packageAbove = (place: URL): URL => {
  if (existsSync(new URL('package.json', place))) return place;
  const parent = new URL('..', place);
  if (parent.href === place.href) throw new Error('package.json is missing from the installation');
  return packageAbove(parent);
};

/** The folder where this package is installed. */
export const packageFolder: URL = packageAbove(new URL('.', import.meta.url));
