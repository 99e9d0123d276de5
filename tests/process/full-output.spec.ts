import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { withTimeout } from '../../application/interceptor.ts';
import { eventually } from '../support/eventually.ts';
import { SmallDisk } from '../support/small-disk.ts';
import { createUser, eachWithInstallation, program, readUser } from './installation.ts';
import { Run } from './run.ts';

describe('output that cannot be written', () => {
  const installation = eachWithInstallation();
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  /** Runs the program with standard output in a file. */
  const runInto = async (path: string, args: readonly string[]): Promise<Run> => {
    const output = await open(path, 'a');
    const child = spawn(process.execPath, [program, ...args], {
      cwd: installation().folder,
      stdio: ['ignore', output.fd, 'pipe'],
    });
    children.push(child);
    await output.close();
    return new Run(child);
  };

  /** Waits until a service is ready; its addresses are not in a log that cannot be read. */
  const ready = async (run: Run): Promise<string> => {
    await run.until(() => /\/users\n\n/.test(run.stderr));
    return /Service: +(\S+)/.exec(run.stderr)?.[1] ?? '';
  };

  const expectStop = async (child: ChildProcess): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await withTimeout(3_000, exited, () => new Error('the service does not stop'))).to.deep.equal([0, null]);
  };

  const unwritten = 'latchkey: standard output cannot be written: ENOSPC\n';

  for (const [args, stderr] of [
    [['--help'], unwritten],
    [['check', 'latchkey.yaml'], unwritten],
    [['import', 'users.jsonl', 'latchkey.yaml'], unwritten],
  ] as const)
    it(`changes nothing but standard error of latchkey ${args[0]}`, async () => {
      const user = { email: { address: 'jane@example.com' }, password: 'correct horse' };
      await installation().write('users.jsonl', JSON.stringify(user));
      const first = ['import', 'users.jsonl', 'latchkey.yaml'];
      if (args[0] === 'check') expect((await installation().command(first)).status).to.equal(0);
      const run = await runInto('/dev/full', args);
      expect([await run.ended, run.stderr]).to.deep.equal([0, stderr]);
    });

  for (const args of [
    ['export', 'latchkey.yaml'],
    ['person', 'latchkey.yaml', 'jane@example.com', '--export'],
    ['key'],
  ])
    it(`fails latchkey ${args.join(' ')} with status 1, because it is incomplete`, async () => {
      const user = { email: { address: 'jane@example.com' }, password: 'correct horse' };
      await installation().write('users.jsonl', JSON.stringify(user));
      expect((await installation().command(['import', 'users.jsonl', 'latchkey.yaml'])).status).to.equal(0);
      const run = await runInto('/dev/full', args);
      expect(await run.ended).to.equal(1);
      expect(run.stderr.split('\n').sort()).to.deep.equal([
        '',
        'latchkey: standard output cannot be written: ENOSPC',
        'latchkey: the output is incomplete',
      ]);
    });

  it('fails an export, a report of an import and init on a full disk with the path, and leaves no file of an export that it has not written', async function () {
    const disk = await SmallDisk.mount(1);
    if (disk === undefined) {
      console.log(
        '\nNOT TESTED: an export to a full disk, because this user has no permission to mount a file system.\n',
      );
      return this.skip();
    }
    try {
      await installation().write('users.jsonl', '');
      expect((await installation().command(['import', 'users.jsonl', 'latchkey.yaml'])).status).to.equal(0);
      await disk.fill();
      const path = join(disk.folder, 'users.jsonl');
      const { status, stderr } = await installation().command(['export', '--output', path, 'latchkey.yaml']);
      expect([status, stderr]).to.deep.equal([1, `latchkey: ${path}: the disk is full\n`]);
      expect(await readdir(disk.folder)).to.deep.equal(['filler']);
      await installation().write('users.jsonl', 'no JSON\n');
      const report = join(disk.folder, 'report');
      const reported = await installation().command(['import', 'users.jsonl', '--report', report, 'latchkey.yaml']);
      expect(reported.stderr.split('\n').at(-2)).to.equal(`latchkey: ${report}: the disk is full`);
      const folder = join(disk.folder, 'new');
      const init = await installation().command(['init', '--production', '--output', folder]);
      expect(init.stderr).to.equal(`latchkey: ${folder}: the disk is full\n`);
    } finally {
      await disk.unmount();
    }
  });

  for (const workers of [1, 2])
    it(`leaves a service running with ${workers} process(es) whose log is always full`, async () => {
      await installation().configure({
        server: { host: '127.0.0.1', port: 0, adminPort: 0, workers },
        logging: { requests: 'all' },
      });
      const run = await runInto('/dev/full', ['serve', 'latchkey.yaml']);
      const url = await ready(run);
      expect(await createUser(url, 'jane@example.com')).to.equal(201);
      expect(await readUser(url, 'jane@example.com')).to.equal(200);
      await expectStop(run.child);
    });

  it('leaves a service running on a full disk, and the log resumes with space', async function () {
    const disk = await SmallDisk.mount(1);
    if (disk === undefined) {
      console.log('\nNOT TESTED: a log on a full disk, because this user has no permission to mount a file system.\n');
      return this.skip();
    }
    try {
      await installation().configure({ logging: { requests: 'all' } });
      const path = join(disk.folder, 'log');
      const run = await runInto(path, ['serve', 'latchkey.yaml']);
      const url = await ready(run);
      await disk.fill(8_192);
      expect(await createUser(url, 'jane@example.com')).to.equal(201);
      for (let request = 0; request < 200; request++) expect(await readUser(url, 'jane@example.com')).to.equal(200);
      const { size } = await stat(path);
      expect(size).to.be.lessThan(20_000);
      await disk.free();
      await eventually(async () => {
        const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
        // Every line is complete, and none is missing.
        const messages = lines.map((line) => JSON.parse(line).msg);
        expect(messages.filter((message) => message === 'request')).to.have.length(201);
      }, 5_000);
      await disk.fill();
      expect(await readUser(url, 'jane@example.com')).to.equal(200);
      await expectStop(run.child);
    } finally {
      await disk.unmount();
    }
  });

  it('does not delay a service whose reader has stalled, nor its end', async function () {
    this.timeout(30_000);
    await installation().configure({ logging: { requests: 'all' } });
    const run = installation().node([program, 'serve', 'latchkey.yaml']);
    const url = await ready(run);
    run.child.stdout?.pause();
    expect(await createUser(url, 'jane@example.com')).to.equal(201);
    // More lines than the pipe and the buffer of its reader hold.
    for (let batch = 0; batch < 60; batch++) {
      const reads = Array.from({ length: 50 }, () => readUser(url, 'jane@example.com'));
      expect(new Set(await Promise.all(reads))).to.deep.equal(new Set([200]));
    }
    await expectStop(run.child);
  });
});
