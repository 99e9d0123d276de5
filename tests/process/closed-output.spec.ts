import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { withTimeout } from '../../application/interceptor.ts';
import { createUser, eachWithInstallation, program, readUser } from './installation.ts';

describe('output whose reader has closed it', () => {
  const installation = eachWithInstallation();

  /** Runs shell commands in the folder of the installation, with `latchkey` as a function. */
  const shell = async (script: string): Promise<{ readonly status: number | null; readonly stderr: string }> => {
    const latchkey = `latchkey() { '${process.execPath}' '${program}' "$@"; }\n`;
    const child = spawn('bash', ['-c', `${latchkey}${script}`], {
      cwd: installation().folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const chunks: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => chunks.push(text));
    const [status] = await once(child, 'close');
    return { status, stderr: chunks.join('') };
  };

  for (const command of ['check latchkey.yaml', '--help', 'backup users.db copy.db'])
    it(`is no error for latchkey ${command}`, async () => {
      const { url, stop } = await installation().serve();
      expect(await createUser(url, 'jane@example.com')).to.equal(201);
      await stop();
      const { status, stderr } = await shell(`latchkey ${command} | true; exit "\${PIPESTATUS[0]}"`);
      expect([status, stderr]).to.deep.equal([0, '']);
    });

  it('ends an export early with status 1, because it is incomplete', async () => {
    const lines = Array.from({ length: 2_000 }, (_, n) =>
      JSON.stringify({
        email: { address: `user-${n}@example.com` },
        password: 'correct horse',
        filler: 'x'.repeat(500),
      }),
    );
    await installation().write('users.jsonl', lines.join('\n'));
    expect((await installation().command(['import', 'users.jsonl', 'latchkey.yaml'])).status).to.equal(0);
    const { status, stderr } = await shell('latchkey export latchkey.yaml | head -1; exit "${PIPESTATUS[0]}"');
    expect([status, stderr]).to.deep.equal([1, 'latchkey: standard output was closed before its end\n']);
  });

  it('keeps the exit status of a failed check', async () => {
    await installation().write('users.db', 'this is no database, and never was one'.repeat(100));
    const { status } = await shell('latchkey check latchkey.yaml | head -1; exit "${PIPESTATUS[0]}"');
    expect(status).to.equal(1);
  });

  for (const workers of [1, 2])
    it(`leaves a service running with ${workers} process(es), which stops within 3 seconds`, async () => {
      await installation().configure({
        server: { host: '127.0.0.1', port: 0, adminPort: 0, workers },
        logging: { requests: 'all' },
      });
      const run = installation().node([program, 'serve', 'latchkey.yaml']);
      // Both readers have closed the output before the service is ready.
      await run.until(() => run.stdout !== '');
      run.child.stderr?.destroy();
      await run.until(() => run.stdout.includes('"listening"'));
      const url = String(run.log.find(({ msg }) => msg === 'listening')?.url);
      run.child.stdout?.destroy();
      expect(await createUser(url, 'jane@example.com')).to.equal(201);
      expect(await readUser(url, 'jane@example.com')).to.equal(200);
      const exited = once(run.child, 'exit');
      run.child.kill('SIGTERM');
      expect(await withTimeout(3_000, exited, () => new Error('the service does not stop'))).to.deep.equal([0, null]);
    });
});
