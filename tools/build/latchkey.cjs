#!/usr/bin/env node
// The command. Every Node.js since 12 parses it, so that an outdated one ends with a clear message and no syntax error.
'use strict';

const needed = [22, 22];
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  process.stderr.write(`latchkey: needs Node.js ${needed.join('.')} or newer, and this is ${process.versions.node}\n`);
  process.exit(1);
}

// Compiled code is kept beside the program, where only its owner writes: the folder for temporary files is everybody's.
require('node:module').enableCompileCache(require('node:path').join(__dirname, 'cache'));
import('./main.js');
