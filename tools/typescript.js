// Lets Node.js load TypeScript, in worker threads too. The hook compiles in the thread that loads: one that waits for
// another thread or process waits forever if no answer comes, and no timeout of a test and no SIGTERM ends that.
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
