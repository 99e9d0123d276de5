#!/usr/bin/env node
// npm 10, and versions of npm 11 without allowScripts, compile better-sqlite3 at `npm ci` although its binaries are
// inside the package: they read `"gypfile": false` in its manifest, but not from a lock file
// (https://github.com/npm/cli/issues/9837). In a clone they find this command instead of their own node-gyp, so that no
// installation needs a compiler or Python.
