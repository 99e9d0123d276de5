import { readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// A step of the build: puts the packages of OpenTelemetry into the compiled form of the module that names them, as far
// as they are used. An installation needs none of them then: they take 0.2 MB instead of 25.

const root = new URL('../../', import.meta.url);
const pathOf = (name: string): string => fileURLToPath(new URL(name, root));

const license = await readFile(pathOf('node_modules/@opentelemetry/api/LICENSE'), 'utf8');
const compiled = pathOf('dist/adapters/tracing/opentelemetry.js');

await build({
  entryPoints: [pathOf('adapters/tracing/opentelemetry.ts')],
  outfile: compiled,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // What nobody reaches falls away from ES modules only.
  mainFields: ['module', 'main'],
  // The license asks that its text goes with what is passed on.
  banner: { js: `/*!\nOpenTelemetry for JavaScript, Copyright The OpenTelemetry Authors\n\n${license}*/` },
  logLevel: 'warning',
});
// It describes what the compiler had put there.
await rm(`${compiled}.map`, { force: true });
