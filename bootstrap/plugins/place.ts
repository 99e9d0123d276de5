import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { moduleResolve } from 'import-meta-resolve';
import { codeOf } from './reason.ts';

const absent =
  'there is no such package or file; it is looked for from the directory where the service is started, then from that of the configuration file, then beside Latchkey; the path of a file starts with ./ or /';
const unbuilt = 'the package is there, and the file that its package.json names is not; build it first';

const isPackage = (name: string): boolean => !/^\.{0,2}\//.test(name) && !isAbsolute(name);

const reasonOf = (name: string, error: unknown): string => {
  const code = codeOf(error);
  if (code !== 'ERR_MODULE_NOT_FOUND') return `can't be found (${code ?? 'no code'})`;
  // Node.js gives one code to both, and tells them apart in words.
  const found = error instanceof Error && error.message.startsWith('Cannot find module');
  return isPackage(name) && found ? unbuilt : absent;
};

/**
 * Where a package or a file is, looked for from several folders in turn as a module in each would import it.
 * Left: what to do about one that is in none of them.
 */
export const placeOf = (name: string, folders: readonly string[]): Either<string, URL> => {
  const reasons: string[] = [];
  for (const folder of folders) {
    try {
      const specifier = isAbsolute(name) ? pathToFileURL(name).href : name;
      return right(moduleResolve(specifier, pathToFileURL(`${folder}/`)));
    } catch (error) {
      reasons.push(reasonOf(name, error));
    }
  }
  // What was found in part says more than what was not found at all.
  return left(reasons.find((reason) => reason !== absent) ?? absent);
};
