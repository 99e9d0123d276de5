import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const limiter = pathOf('../../../tools/limited.js');
const mocha = pathOf('../../../node_modules/mocha/bin/mocha.js');

const exists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Starts a command with a limit in minutes. Resolves at its end with its exit status and output. */
const limited = async (minutes: number, ...command: readonly string[]) => {
  const child = spawn(process.execPath, [limiter, String(minutes), ...command], { stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [status] = await once(child, 'close');
  return { status, output };
};

describe('a run with a limit over all', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-limited-'));
  });
  after(() => rm(folder, { recursive: true }));

  for (const [mode, options] of Object.entries({
    'in one process': [],
    'in a worker': ['--parallel', '--jobs', '2'],
  })) {
    it(`ends although a test blocks its thread and survives SIGTERM, ${mode}`, async function () {
      this.timeout(30_000);
      const suite = (blocks: string) =>
        `describe('a suite', () => { it('blocks', () => { console.log('pid=' + process.pid + '=');
         process.on('SIGTERM', () => {}); ${blocks} }); });`;
      await writeFile(join(folder, 'one.spec.mjs'), suite(''));
      await writeFile(
        join(folder, 'two.spec.mjs'),
        suite('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);'),
      );
      const args = ['--no-config', '--exit', '--timeout', '1000', ...options, join(folder, '*.spec.mjs')];
      const { status, output } = await limited(0.1, process.execPath, mocha, ...args);
      expect(status, output).to.equal(1);
      expect(output).to.include('exceeded its limit of 0.1 minutes');
      const pids = [...output.matchAll(/pid=(\d+)=/g)].map(([, pid]) => Number(pid));
      expect(pids).to.have.lengthOf(2);
      for (const pid of pids) await eventually(async () => expect(exists(pid)).to.equal(false), 5_000);
    });
  }

  it('has the exit status of its command', async () => {
    expect(await limited(1, process.execPath, '-e', 'console.log("done"); process.exit(3)')).to.deep.equal({
      status: 3,
      output: 'done\n',
    });
    expect((await limited(1, 'no-such-command')).status).to.equal(127);
  });
});
