// `npm run build` writes dist/. One esbuild run with code splitting builds all entry points, so that each module exists
// once, whichever entry points a program imports.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeDeclarations } from './declarations.ts';
import { lazyHttp, lazyMimeTypes } from './esbuild-plugins.ts';
import { writeNotices } from './notices.ts';
import { writeSwaggerUi } from './swagger-ui.ts';
import { writeCompatibility } from './write-compatibility.ts';

const root = new URL('../../', import.meta.url);
const dist = new URL('dist/', root);

/** The entry points by the name of their file in dist/. */
const entryPoints = {
  main: 'bootstrap/main.ts',
  // The writer thread of the embedded store is started from this file.
  writer: 'adapters/stores/sqlite/writer.ts',
  // The thread that rates passwords.
  'strength-worker': 'adapters/password-rules/strength-worker.ts',
  ports: 'sdk/ports.ts',
  client: 'sdk/client/index.ts',
  testing: 'sdk/testing/index.ts',
  'testing-container': 'sdk/testing/container.ts',
  contract: 'sdk/contract/index.ts',
  'contract-http': 'sdk/contract/http/suite.ts',
};

const { dependencies, peerDependencies }: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  await readFile(new URL('package.json', root), 'utf8'),
);
/** Packages that are installed with Latchkey or by the caller; all others are bundled. */
const installed = Object.keys({ ...dependencies, ...peerDependencies });

// The declarations contain these types.
await import('./client-types.ts');

await rm(dist, { recursive: true, force: true });
await mkdir(dist);
const { metafile } = await build({
  absWorkingDir: fileURLToPath(root),
  entryPoints,
  outdir: fileURLToPath(dist),
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.22',
  // Prefer ES modules, because unused exports can be removed.
  mainFields: ['module', 'main'],
  alias: { 'fp-ts/lib': 'fp-ts/es6', 'io-ts': 'io-ts/es6/index.js' },
  external: [...installed, ...installed.map((name) => `${name}/*`), '#swagger-ui/*'],
  plugins: [lazyHttp, lazyMimeTypes],
  // CommonJS packages need this function to require modules of Node.js. The client also runs in browsers, without
  // either.
  banner: { js: "const require=globalThis.process?.getBuiltinModule?.('module').createRequire(import.meta.url);" },
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});
const copied = await writeSwaggerUi();
await Promise.all([
  writeFile(new URL('latchkey.cjs', dist), await readFile(new URL('tools/build/latchkey.cjs', root)), { mode: 0o755 }),
  writeNotices(root, dist, metafile, copied),
  writeDeclarations(root, dist, installed),
  writeCompatibility(root),
]);
