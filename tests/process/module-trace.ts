import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { program } from './installation.ts';

/** Writes the modules that a process and its threads load to standard error. */
const tracer = `
  import { writeSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => (writeSync(2, url + '\\n'), next(url, context)) });`;

/** The environment of a process whose modules are traced. */
export const traceModules = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tracer)}` };

const packageIn = /node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//g;

const namesIn = (text: string): readonly string[] => [...text.matchAll(packageIn)].map(([, name]) => name ?? '');

/** A file of the program, by its full path, because other packages have a dist folder too. */
const ownFile = new RegExp(`${dirname(program)}/([\\w-]+\\.js)`, 'g');

/** The sources of a file. One without a source map has no code of its own: it exports members of another file. */
const sourcesOf = (name: string): readonly string[] => {
  const map = join(dirname(program), `${name}.map`);
  return existsSync(map) ? JSON.parse(readFileSync(map, 'utf8')).sources : [];
};

/** The files of the program in the output of a process. */
export const filesIn = (output: string): ReadonlySet<string> =>
  new Set([...output.matchAll(ownFile)].map(([, name]) => name ?? ''));

/** The sources of the program's files in the output of a process, according to their source maps. */
export const sourcesIn = (output: string): readonly string[] => [...filesIn(output)].flatMap(sourcesOf);

/** The packages in the output of a process, both installed and bundled. */
export const packagesIn = (output: string): ReadonlySet<string> =>
  new Set([...namesIn(output), ...sourcesIn(output).flatMap(namesIn)]);
