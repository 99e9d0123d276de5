import { basename, dirname, relative } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Loads `node:http` like a CommonJS package does. Importing it as an ES module reads all of its members, one of which
 * loads the HTTP client of Node.js (40 ms at startup, and 4 MB).
 */
export const lazyHttp: Plugin = {
  name: 'lazy-http',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace: 'builtin' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/**
 * Loads `mime-types` at the first call of one of its functions. The packages of Koa contain three versions of it, whose
 * tables took a fifth of the startup time, and the service sets its media types itself. The path of the module is
 * relative, because it appears in the output, which must not depend on the folder of the build.
 */
export const lazyMimeTypes: Plugin = {
  name: 'lazy-mime-types',
  setup: ({ initialOptions: { absWorkingDir = process.cwd() }, onResolve, onLoad, resolve }) => {
    onResolve({ filter: /^mime-types$/ }, async ({ resolveDir, kind, pluginData }) => {
      if (pluginData === 'eager') return undefined;
      const { path } = await resolve('mime-types', { resolveDir, kind, pluginData: 'eager' });
      return { path: relative(absWorkingDir, path), namespace: 'lazy', pluginData: path };
    });
    onLoad({ filter: /./, namespace: 'lazy' }, ({ pluginData: path }) => ({
      resolveDir: dirname(path),
      loader: 'js',
      contents: `for (const name of ['charset', 'contentType', 'extension', 'lookup'])
  exports[name] = (value) => require(${JSON.stringify(`./${basename(path)}`)})[name](value);`,
    }));
  },
};
