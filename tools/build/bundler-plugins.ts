import { isBuiltin } from 'node:module';
import { relative } from 'node:path';
import type { Plugin } from 'rolldown';

/**
 * Reads the members of modules of Node.js that the program uses. An import reads all of them, some of which load more
 * modules: that of `node:http` loads the HTTP client (35 ms of processor time at startup, and 4 MB).
 */
export const usedBuiltins: Plugin = {
  name: 'used-builtins',
  renderChunk: (code) => ({
    code: code.replace(/^import (.+) from "([\w/:]+)";$/gm, (line, names: string, module: string) => {
      if (!isBuiltin(module)) return line;
      const targets = names
        .replace('* as ', '')
        .replaceAll(' as ', ': ')
        .split(/, (?=\{)/);
      // A package imports `process` itself.
      const builtin = `globalThis.process.getBuiltinModule("${module}")`;
      return `const ${targets.map((target) => `${target} = ${builtin}`).join(', ')};`;
    }),
    // Every line stays where it was.
    map: null,
  }),
};

const lazy = 'lazy:';

/**
 * Loads `mime-types` at the first call of one of its functions, and one version of it: the packages of Koa contain
 * several, whose tables took a fifth of the startup time, and the service sets its media types itself. The path of the
 * module is relative to the root, because it appears in the output, which must not depend on the folder of the build.
 */
export const lazyMimeTypes = (root: string): Plugin => ({
  name: 'lazy-mime-types',
  async resolveId(source) {
    if (source !== 'mime-types') return undefined;
    const resolved = await this.resolve(source, `${root}node_modules/koa/lib/response.js`, { skipSelf: true });
    return resolved && `${lazy}${relative(root, resolved.id)}`;
  },
  load: (id) =>
    id.startsWith(lazy)
      ? `for (const name of ['charset', 'contentType', 'extension', 'lookup'])
  exports[name] = (value) => require(${JSON.stringify(`${root}${id.slice(lazy.length)}`)})[name](value);`
      : undefined,
});

const withoutDecoders = 'without-decoders';

/** Leaves out `iconv-lite`, with which koa-bodyparser decodes text: the service reads bodies as bytes. Its tables are 300 KB. */
export const noTextDecoders: Plugin = {
  name: 'no-text-decoders',
  resolveId: (source, importer) =>
    source === 'iconv-lite' && importer?.includes('/raw-body/') ? withoutDecoders : undefined,
  load: (id) =>
    id === withoutDecoders ? `exports.getDecoder = () => { throw new Error('bodies are read as bytes'); };` : undefined,
};

/** Takes from `rate-limiter-flexible` only the limiters that the program uses: its index loads those of all databases. */
export const usedLimiters: Plugin = {
  name: 'used-limiters',
  transform: (code, id) => {
    if (!id.endsWith('/rate-limiter-flexible/index.js')) return undefined;
    const members = code.matchAll(/^const (\w+) = require\('(.*)'\);$/gm);
    return {
      code: [...members].map(([, name, path]) => `export { default as ${name} } from '${path}.js';`).join('\n'),
      map: null,
    };
  },
};
