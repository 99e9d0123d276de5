import { readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// A step of the build: puts packages into the compiled form of the one module that names them, as far as they are used.
// An installation needs none of them then: OpenTelemetry takes 0.2 MB instead of 25, jwks-rsa
// 0.2 instead of 7, prom-client 0.2 instead of 4, lru-cache 0.03 instead of 3.6.

interface Bundle {
  /** The module, from the root and without its ending. */
  readonly module: string;
  /** What is in it, and where the licenses stand that ask to go with it. */
  readonly notice: string;
  readonly licenses: readonly string[];
}

const bundles: readonly Bundle[] = [
  {
    module: 'adapters/tracing/opentelemetry',
    notice: 'OpenTelemetry for JavaScript, Copyright The OpenTelemetry Authors',
    licenses: ['@opentelemetry/api/LICENSE'],
  },
  {
    module: 'adapters/http/authentication/jwks-rsa',
    notice:
      'jwks-rsa, and the packages that it needs: debug, jose, limiter, lodash.clonedeep, lru-cache, lru-memoizer, ms',
    licenses: [
      'jwks-rsa/LICENSE',
      'debug/LICENSE',
      'jose/LICENSE.md',
      'limiter/LICENSE.txt',
      'lodash.clonedeep/LICENSE',
      'lru-cache/LICENSE.md',
      'lru-memoizer/LICENSE',
      'ms/license.md',
    ],
  },
  {
    module: 'adapters/metrics/prom-client',
    notice: 'prom-client, and the packages that it needs: bintrees, OpenTelemetry API, tdigest',
    licenses: ['prom-client/LICENSE', 'bintrees/LICENSE', '@opentelemetry/api/LICENSE', 'tdigest/LICENSE'],
  },
  {
    module: 'adapters/remembered-passwords/lru-cache',
    notice: 'lru-cache',
    licenses: ['lru-cache/LICENSE.md'],
  },
];

const root = new URL('../../', import.meta.url);
const pathOf = (name: string): string => fileURLToPath(new URL(name, root));

const licenseText = async (names: readonly string[]): Promise<string> =>
  (await Promise.all(names.map((name) => readFile(pathOf(`node_modules/${name}`), 'utf8')))).join('\n\n');

for (const { module, notice, licenses } of bundles) {
  const compiled = pathOf(`dist/${module}.js`);
  await build({
    entryPoints: [pathOf(`${module}.ts`)],
    outfile: compiled,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // What nobody reaches falls away from ES modules only.
    mainFields: ['module', 'main'],
    banner: {
      js: `/*!
${notice}

${await licenseText(licenses)}*/
// Packages in the older format of modules ask for those of Node.js by this function.
import { createRequire as requireOfBundle } from 'node:module'; const require = requireOfBundle(import.meta.url);`,
    },
    logLevel: 'warning',
  });
  // It describes what the compiler had put there.
  await rm(`${compiled}.map`, { force: true });
}
