import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const loader = fileURLToPath(new URL('../../../tools/typescript.js', import.meta.url));

/** A module that no compiler has seen before, so that none can take it from a cache. */
const unseen = (text: string): string => `enum Unseen { value = '${randomUUID()}' }\nvoid Unseen;\n${text}`;

const endAllChildren = `
import { execFileSync } from 'node:child_process';
const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' }).split('\\n');
for (const [pid, parent, name] of lines.map((line) => line.trim().split(/ +/)))
  if (Number(parent) === process.pid && name !== 'ps') process.kill(Number(pid), 'SIGKILL');
`;

describe('the loader of TypeScript', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-loader-'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  });
  after(() => rm(folder, { recursive: true }));

  const run = async (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), unseen(text));
    const options = { encoding: 'utf8', timeout: 20_000, killSignal: 'SIGKILL' } as const;
    const { status, signal, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', loader, join(folder, 'main.ts')],
      options,
    );
    return { status, signal, stdout, stderr };
  };

  // A loader that waited for a process of its compiler made a test run hang forever.
  it('waits for no other process: it loads modules after all of its children have ended', async () => {
    const { signal, stdout, stderr } = await run({
      'main.ts': `${endAllChildren}\nawait import('./later.ts');`,
      'later.ts': `console.log('loaded');`,
    });
    expect(signal, stderr).to.equal(null);
    expect(stdout, stderr).to.equal('loaded\n');
  });

  it('loads modules in worker threads', async () => {
    const { stdout, stderr } = await run({
      'main.ts': `import { Worker } from 'node:worker_threads';\nnew Worker(new URL('./thread.ts', import.meta.url));`,
      'thread.ts': `console.log('loaded');`,
    });
    expect(stdout, stderr).to.equal('loaded\n');
  });

  it('keeps the lines of the source in stack traces', async () => {
    const { status, stderr } = await run({
      'main.ts': `interface Gone {\n  readonly one: 1;\n}\nconst gone: Gone | undefined = undefined;\n\nthrow new Error(String(gone));`,
    });
    expect(status).to.equal(1);
    expect(stderr).to.match(/main\.ts:8:\d+/);
  });
});
