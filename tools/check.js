// `npm run check`: runs the scripts `check:*` of package.json at the same time, and prints the output of each when it ends.
// Fails if one of them fails. Without the one about vulnerabilities, which depends on the network.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const checks = Object.keys(scripts).filter((name) => name.startsWith('check:') && name !== 'check:vulnerabilities');

const run = async (name) => {
  // One pipe for both streams, so that their lines stay in order.
  const child = spawn(`(${scripts[name]}) 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => {
    child.on('error', resolve);
    child.on('close', resolve);
  });
  const output = await text(child.stdout);
  const failed = (await ended) !== 0;
  process.stdout.write(failed ? `${name} failed:\n${output}` : output);
  if (failed) process.exitCode = 1;
};

await Promise.all(checks.map(run));
