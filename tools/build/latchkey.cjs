#!/usr/bin/env node
// The command. Its syntax is that of Node.js 12, so that an outdated version prints a message instead of a syntax error.
'use strict';

const needed = [22, 22];
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  const reason = `needs Node.js ${needed.join('.')} or newer, and this is ${process.versions.node}`;
  const remedy = 'install a newer one, or run npm install node@24 in the folder of the package, and then npx latchkey';
  process.stderr.write(`latchkey: ${reason}; ${remedy}\n`);
  process.exit(1);
}

// The compile cache is stored next to the program, where only its owner can write, unlike in the temporary folder.
require('node:module').enableCompileCache(require('node:path').join(__dirname, 'cache'));
// Without a handler, Node.js would print the line of the bundle in which a module failed.
import('./main.js').catch((error) => {
  const reason = error instanceof Error ? error.message.split('\n')[0] : typeof error;
  process.stderr.write(`latchkey: cannot be loaded: ${reason}; install the package again\n`);
  process.exit(1);
});
