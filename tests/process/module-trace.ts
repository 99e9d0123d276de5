import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { program } from './installation.ts';

// Node.js writes the modules that it loads to standard error.
export const traceModules = { NODE_DEBUG: 'esm,module' };

const packageIn = /node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//g;

const namesIn = (text: string): readonly string[] => [...text.matchAll(packageIn)].map(([, name]) => name ?? '');

/** A file of the program, by its full path, because other packages have a dist folder too. */
const ownFile = new RegExp(`${dirname(program)}/([\\w-]+\\.js)`, 'g');

/** The sources of the program's files in the output of a process, according to their source maps. */
export const sourcesIn = (output: string): readonly string[] =>
  [...new Set([...output.matchAll(ownFile)].map(([, name]) => name ?? ''))].flatMap(
    (name) => JSON.parse(readFileSync(join(dirname(program), `${name}.map`), 'utf8')).sources,
  );

/** The packages in the output of a process, both installed and bundled. */
export const packagesIn = (output: string): ReadonlySet<string> =>
  new Set([...namesIn(output), ...sourcesIn(output).flatMap(namesIn)]);
