// Lets Node.js load TypeScript, in worker threads too. The hook compiles in its own thread: a loader that waits for
// another thread or process, such as that of tsx, which waits for esbuild, waits forever if that one ends.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

process.setSourceMapsEnabled(true);

registerHooks({
  load: (url, context, next) => {
    if (!/^file:.*\.ts(?:\?|$)/.test(url)) return next(url, context);
    const filename = fileURLToPath(url);
    const { code } = transformSync(readFileSync(filename, 'utf8'), {
      filename,
      // The options of the compiler are these alone, whatever files lie beside the source.
      configFile: false,
      swcrc: false,
      jsc: { parser: { syntax: 'typescript' }, target: 'es2024', transform: { verbatimModuleSyntax: true } },
      sourceMaps: 'inline',
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
