import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * `node:http` as a CommonJS package gets it: to import it as an ES module reads all its members, and one of them loads the
 * HTTP client of Node.js (40 ms of a start, and 4 MB).
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
 * `mime-types`, of which the packages of Koa bring three versions, each loaded when one of its functions is called for
 * the first time: the service names its media types itself, and the tables took a fifth of a start.
 */
export const lazyMimeTypes: Plugin = {
  name: 'lazy-mime-types',
  setup: ({ onResolve, onLoad, resolve }) => {
    onResolve({ filter: /^mime-types$/ }, async ({ resolveDir, kind, pluginData }) => {
      if (pluginData === 'eager') return undefined;
      const { path } = await resolve('mime-types', { resolveDir, kind, pluginData: 'eager' });
      return { path, namespace: 'lazy', pluginData: path };
    });
    onLoad({ filter: /./, namespace: 'lazy' }, ({ path }) => ({
      resolveDir: dirname(path),
      loader: 'js',
      contents: `for (const name of ['charset', 'contentType', 'extension', 'lookup'])
  exports[name] = (value) => require(${JSON.stringify(path)})[name](value);`,
    }));
  },
};
