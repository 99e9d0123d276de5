// `npm run build` writes dist/. One run of the bundler with code splitting builds all entry points, so that each module
// exists once, whichever entry points a program imports.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { lazyMimeTypes, noTextDecoders, usedBuiltins, usedLimiters } from './bundler-plugins.ts';
import { chunkGroups, chunks } from './chunk-groups.ts';
import { writeDeclarations } from './declarations.ts';
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
const groupOf = chunkGroups(fileURLToPath(root));
const { output } = await build({
  cwd: fileURLToPath(root),
  input: entryPoints,
  platform: 'node',
  external: [/^node:/, /^#swagger-ui\//, ...installed.map((name) => new RegExp(`^${name}(/|$)`))],
  resolve: {
    // Prefer ES modules, because unused exports can be removed.
    mainFields: ['module', 'main'],
    alias: {
      'fp-ts/lib': fileURLToPath(new URL('node_modules/fp-ts/es6', root)),
      'io-ts': fileURLToPath(new URL('node_modules/io-ts/es6/index.js', root)),
    },
  },
  transform: { target: 'node22.22' },
  plugins: [lazyMimeTypes(fileURLToPath(root)), noTextDecoders, usedBuiltins, usedLimiters],
  treeshake: { moduleSideEffects: [{ test: /\/rate-limiter-flexible\//, sideEffects: false }] },
  // Packages use eval, and some modules are loaded later in the processes of a cluster.
  checks: { eval: false, ineffectiveDynamicImport: false },
  logLevel: 'warn',
  output: {
    dir: fileURLToPath(dist),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: ({ name }) => `${name.replace(/\W+/g, '-')}-[hash].js`,
    codeSplitting: {
      groups: chunks.map((chunk, index) => ({
        name: (id, bundle) => (groupOf(id, (other) => bundle.getModuleInfo(other)) === chunk ? chunk : null),
        debugName: chunk,
        // A group takes what its modules import, but for the modules of those before it.
        priority: chunks.length - index,
      })),
    },
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    comments: { legal: false },
    sourcemap: true,
    sourcemapExcludeSources: true,
  },
});
const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
const copied = await writeSwaggerUi();
await Promise.all([
  writeFile(new URL('latchkey.cjs', dist), await readFile(new URL('tools/build/latchkey.cjs', root)), { mode: 0o755 }),
  writeNotices(root, dist, modules, copied),
  writeDeclarations(root, dist, installed),
  writeCompatibility(root),
]);
