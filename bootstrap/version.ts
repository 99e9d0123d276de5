import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as t from 'io-ts';

const Package = t.type({ version: t.string });

/** The nearest package.json above a place: sources and compiled files lie at different depths below it. */
const packageAbove = (place: URL): string => {
  const candidate = fileURLToPath(new URL('package.json', place));
  if (existsSync(candidate)) return candidate;
  const parent = new URL('..', place);
  if (parent.href === place.href) throw new Error('package.json is missing from the installation');
  return packageAbove(parent);
};

const read = (): string => {
  const content: unknown = JSON.parse(readFileSync(packageAbove(new URL('.', import.meta.url)), 'utf8'));
  if (!Package.is(content)) throw new Error('package.json has no version');
  return content.version;
};

/** The version of the service, as its package.json states it. */
export const version: string = read();
