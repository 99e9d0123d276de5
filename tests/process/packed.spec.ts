import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createUser, readUser } from './installation.ts';
import { installPacked } from './packed.ts';
import { Run } from './run.ts';

/**
 * Installs the packed file into a folder; the service then takes free ports, because other programs use those of the
 * file.
 */
const install = async (folder: string): Promise<void> => {
  await installPacked(folder);
  const configuration = join(folder, 'node_modules/latchkey/config/local.yaml');
  const text = await readFile(configuration, 'utf8');
  await writeFile(configuration, text.replaceAll(/^( +(?:port|adminPort): ).+$/gm, '$10'));
};

/** Sends a signal to a process and all processes that it started, as Ctrl-C in a terminal does. */
const signal = ({ pid }: ChildProcess, name: NodeJS.Signals): void => {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // They have ended.
  }
};

describe('npx latchkey in a folder that has no configuration', () => {
  let folder = '';
  const runs: Run[] = [];
  before(async function () {
    this.timeout(120_000);
    folder = await mkdtemp(join(tmpdir(), 'latchkey-packed-'));
    await install(folder);
  });
  after(async () => {
    // A test that failed may have left its service running.
    for (const { child } of runs) signal(child, 'SIGKILL');
    await Promise.all(runs.map(({ ended }) => ended));
    await rm(folder, { recursive: true });
  });

  const run = (...args: readonly string[]): Run => {
    const { LATCHKEY_CONFIG: _, ...env } = process.env;
    const command = ['--no-install', 'latchkey', ...args];
    const options: SpawnOptions = { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true };
    const started = new Run(spawn('npx', command, options));
    runs.push(started);
    return started;
  };

  it('runs with the configuration for development, warns about that, and keeps its data in the folder', async () => {
    const service = run();
    await service.until(() => service.stdout.includes('"listening"'));
    const { url } = service.log.find(({ msg }) => msg === 'listening') ?? {};
    expect(await createUser(String(url), 'jane@example.com')).to.equal(201);
    expect(await readUser(String(url), 'jane@example.com')).to.equal(200);
    await access(join(folder, 'data/latchkey.db'));
    const [said] = service.log.filter(({ level }) => level === 40);
    expect(said?.msg).to.match(/no configuration is named.*development.*node_modules\/latchkey\/config\/local\.yaml/);
    signal(service.child, 'SIGINT');
    await service.ended;
    expect(service.stdout).to.include('"stopped"');
  });

  it('uses the same configuration for latchkey check', async () => {
    const checked = run('check');
    expect(await checked.ended).to.equal(0);
    expect(checked.stdout).to.match(
      /^ok {4}configuration: .*node_modules\/latchkey\/config\/local\.yaml \(users from before it: .*\)$/m,
    );
    expect(checked.stdout).to.match(/^warn {2}no configuration is named/m);
  });

  it('prints commands that work there: with npx in the folder, and otherwise by their path', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'latchkey-elsewhere-'));
    try {
      for (const [output, program] of [
        ['accounts', 'npx latchkey'],
        [elsewhere, `'${join(folder, 'node_modules/.bin/latchkey')}'`],
      ] as const) {
        const made = run('init', '--production', '--mailer', 'none', '--output', output);
        expect(await made.ended).to.equal(0);
        expect(made.stdout).to.include(`  ${program} serve latchkey.yaml\n`);
        const commands =
          made.stdout
            .split('\n\n')
            .at(-1)
            ?.replace(/^ +\S+(?: latchkey)? serve .*$/m, '') ?? '';
        const shell = new Run(spawn('sh', ['-ec', commands], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }));
        runs.push(shell);
        expect(await shell.ended, shell.stderr).to.equal(0);
        expect(shell.stdout).to.match(/^ok {4}configuration: latchkey\.yaml/m);
      }
      const help = run('help');
      expect(await help.ended).to.equal(0);
      expect(help.stdout)
        .to.include('  npx latchkey check [FILE] ')
        .and.not.match(/^ +latchkey /m);
      for (const line of help.stdout.split('\n').filter((text) => !text.startsWith('Documentation')))
        expect(line.length, line).to.be.most(80);
      const wrong = run('check', '--erase');
      expect(await wrong.ended).to.equal(2);
      expect(wrong.stderr).to.include('See: npx latchkey help check\n');
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  it('uses config/local.yaml of the folder if it exists', async () => {
    await mkdir(join(folder, 'config'));
    await writeFile(join(folder, 'config/local.yaml'), 'database: { type: memory }\n');
    const checked = run('check');
    expect(await checked.ended).to.equal(0);
    expect(checked.stdout).to.match(/^ok {4}configuration: config\/local\.yaml$/m);
  });

  it('ends with 2 if the named file is missing', async () => {
    const checked = run('check', 'missing.yaml');
    expect(await checked.ended).to.equal(2);
    expect(checked.stderr).to.include('missing.yaml').and.include('the file does not exist');
  });
});
