import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { eachWithInstallation } from './installation.ts';
import { Run } from './run.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

describe('npm start', () => {
  const installation = eachWithInstallation();

  it('stops the service when npm is stopped', async function () {
    this.timeout(30_000);
    // The script of package.json as npm runs it, in the folder of the installation.
    const script = scripts.start.replaceAll('dist/', `${root}dist/`).replaceAll(' serve', ' serve latchkey.yaml');
    const args = ['--prefix', root, 'exec', '--offline', '--script-shell', 'sh', '--call', script];
    const child = spawn('npm', args, { cwd: installation().folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const run = new Run(child);
    await run.until(() => run.stdout.includes('"listening"'));
    child.kill('SIGTERM');
    // The pipes are closed when the last process that holds them has ended.
    await run.ended;
    expect(run.stdout).to.include('"stopped"');
  });
});
