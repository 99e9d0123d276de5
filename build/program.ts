import { readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// The command line, and what latchkey/testing starts, as a few files that hold what every start needs, its packages included: to find, read and link some
// five hundred small files would take longer than everything else that a start does. The compiled modules beside them
// serve those who import the package.

/** What every start loads. Other packages are loaded from where they are installed, when they are needed. */
const alwaysLoaded: ReadonlySet<string> = new Set([
  '@koa/router',
  'escape-html',
  'fastest-levenshtein',
  'fp-ts',
  'inversify',
  'io-ts',
  'koa',
  'koa-bodyparser',
  'pino',
  'reflect-metadata',
  'yaml',
]);

const dist = new URL('..', import.meta.url);
const pathOf = (name: string): string => fileURLToPath(new URL(name, dist));

const declared: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  await readFile(new URL('../package.json', dist), 'utf8'),
);
const installed = Object.keys(declared.dependencies).filter((name) => !alwaysLoaded.has(name));

// Names of files tell what is in them, so that those of an earlier build would stay.
await rm(pathOf('program'), { recursive: true, force: true });
await build({
  entryPoints: [
    { in: pathOf('bootstrap/main.js'), out: 'main' },
    // latchkey/testing: a service that starts in the tests of others.
    { in: pathOf('testing/index.js'), out: 'testing' },
    // A thread of its own, which is started by its file.
    { in: pathOf('adapters/stores/sqlite/writer.js'), out: 'writer' },
  ],
  outdir: pathOf('program'),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // As ES modules: a name of the older format is looked up again whenever it is used, and nothing of it falls away.
  alias: { 'fp-ts/lib': 'fp-ts/es6', 'io-ts': 'io-ts/es6/index.js' },
  // The client stays one module, so that there is one class of each name in it.
  external: [...installed, ...installed.map((name) => `${name}/*`), '#swagger-ui/*', pathOf('client/index.js')],
  // Packages in the older format of modules ask for those of Node.js by this function.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  legalComments: 'inline',
  logLevel: 'warning',
});
