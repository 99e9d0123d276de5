import { readFileSync } from 'node:fs';
import * as t from 'io-ts';
import { packageFolder } from './installed-package.ts';

const Package = t.type({ version: t.string });

const read = (): string => {
  const content: unknown = JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8'));
  if (!Package.is(content)) throw new Error('package.json has no version');
  return content.version;
};

/** The version of the service, as its package.json states it. */
export const version: string = read();
