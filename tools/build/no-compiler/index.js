#!/usr/bin/env node
// npm 10, and npm 11 before it knew allowScripts, compile better-sqlite3 at `npm ci` although its binaries are inside the
// package: they read `"gypfile": false` in its manifest, but not from a lock file (https://github.com/npm/cli/issues/9837).
// In a clone they find this command in place of their own node-gyp, so that no install asks for a compiler or Python.
