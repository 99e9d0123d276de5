import { relative } from 'node:path';
import type { Plugin } from 'rolldown';

/**
 * Loads `node:http` like a CommonJS package does. Importing it as an ES module reads all of its members, one of which
 * loads the HTTP client of Node.js (40 ms at startup, and 4 MB).
 */
export const lazyHttp: Plugin = {
  name: 'lazy-http',
  resolveId: (source, _, { kind }) =>
    kind === 'import-statement' && /^(node:)?http$/.test(source) ? 'builtin:node:http' : undefined,
  load: (id) => (id === 'builtin:node:http' ? `module.exports = process.getBuiltinModule('node:http');` : undefined),
};

const lazy = 'lazy:';

/**
 * Loads `mime-types` at the first call of one of its functions. The packages of Koa contain three versions of it, whose
 * tables took a fifth of the startup time, and the service sets its media types itself. The path of the module is
 * relative to the root, because it appears in the output, which must not depend on the folder of the build.
 */
export const lazyMimeTypes = (root: string): Plugin => ({
  name: 'lazy-mime-types',
  async resolveId(source, importer) {
    if (source !== 'mime-types') return undefined;
    const resolved = await this.resolve(source, importer, { skipSelf: true });
    return resolved && `${lazy}${relative(root, resolved.id)}`;
  },
  load: (id) =>
    id.startsWith(lazy)
      ? `for (const name of ['charset', 'contentType', 'extension', 'lookup'])
  exports[name] = (value) => require(${JSON.stringify(`${root}${id.slice(lazy.length)}`)})[name](value);`
      : undefined,
});
