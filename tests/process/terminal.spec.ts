import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { withTimeout } from '../../application/interceptor.ts';
import { skipSuite } from '../support/engines/skipped-suites.ts';
import { eventually } from '../support/eventually.ts';
import { resettingServer, silentServer } from '../support/tcp-servers.ts';
import { createUser, eachWithInstallation, program, readUser } from './installation.ts';
import { Run } from './run.ts';

/** A command in a pseudo-terminal, which `script` of util-linux opens. */
class TerminalRun extends Run {
  /** `redirections` are those of a shell. The exit status is that of the command, or 128 and the number of a signal. */
  constructor(
    private readonly folder: string,
    args: readonly string[],
    redirections = '',
  ) {
    const words = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
    const script = `echo $$ >pid; exec ${words} ${redirections}`;
    const { LATCHKEY_CONFIG: _, ...inherited } = process.env;
    const env = { ...inherited, SHELL: '/bin/sh', TERM: 'xterm' };
    super(spawn('script', ['-qec', script, '/dev/null'], { cwd: folder, env, stdio: 'pipe' }));
  }

  /** What the terminal shows, with the line breaks of a file. */
  get text(): string {
    return this.stdout.replaceAll('\r\n', '\n');
  }

  /** Types a line. */
  type(line: string): void {
    this.child.stdin?.write(`${line}\r`);
  }

  pressCtrlC(): void {
    this.child.stdin?.write('\x03');
  }

  /** Closes the terminal, so that the command gets SIGHUP and can neither read nor write it. */
  closeWindow(): void {
    this.child.kill('SIGKILL');
  }

  /** Resolves when the command has ended, also after its terminal was closed. */
  async gone(): Promise<void> {
    await eventually(async () => expect(this.signal(0)).to.equal(false), 15_000);
  }

  /** Sends a signal to the command; returns whether it still runs. */
  signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(Number(readFileSync(join(this.folder, 'pid'), 'utf8')), signal);
    } catch {
      return false;
    }
  }
}

const person = (n: number): string =>
  JSON.stringify({ email: { address: `user-${n}@example.com` }, password: 'correct horse' });

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `${person(n)}\n`).join('');

/** A sequence that changes a mode of the terminal, such as a hidden cursor, which a command that is killed leaves. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with one
const changedMode = /\x1b\[\?\d+[hl]/;

const stackTrace = /^\s+at /m;

describe('the program in a terminal', function () {
  this.timeout(60_000);
  const installation = eachWithInstallation();
  const runs: TerminalRun[] = [];

  before(function () {
    if (spawnSync('script', ['--version']).status !== 0)
      skipSuite(this, 'script needs the package bsdutils of Debian, a part of util-linux (there is none)');
  });
  afterEach(async () => {
    for (const run of runs.splice(0)) {
      run.signal('SIGKILL');
      run.closeWindow();
      await run.ended;
    }
  });

  const open = (args: readonly string[], redirections = ''): TerminalRun => {
    const run = new TerminalRun(installation().folder, args, redirections);
    runs.push(run);
    return run;
  };

  /** Runs a command to its end, and checks that it neither crashed nor changed a mode of the terminal. */
  const finished = async (args: readonly string[]): Promise<{ readonly status: unknown; readonly text: string }> => {
    const run = open(args);
    const status = await run.ended;
    expect(run.text).not.to.match(stackTrace).and.not.to.match(changedMode);
    return { status, text: run.text };
  };

  const file = (name: string): Promise<string> => readFile(join(installation().folder, name), 'utf8');

  /** Slow enough that an import is interrupted before its end. */
  const hashing = { passwordHash: { algorithm: 'bcrypt', serverSideHash: true, cost: 10 } };
  const importArgs = ['import', '--hash-passwords', 'users.jsonl', 'latchkey.yaml'];

  /** What each command prints at its end, and a file that it writes. */
  const commands: Readonly<Record<string, readonly [args: readonly string[], text: RegExp, wrote?: string]>> = {
    check: [['latchkey.yaml'], /^ok {4}database \(sqlite\): .*\nok {4}email \(outbox\): .*\n$/m],
    init: [
      ['--production', '--output', 'new'],
      /^ok {4}new\/latchkey\.yaml\n[\s\S]* {2}latchkey serve latchkey\.yaml\n$/,
      'new',
    ],
    backup: [['users.db', 'copy.db'], /^ok {4}copy\.db: checked and on the disk, users: 3\n$/, 'copy.db'],
    export: [
      ['--output', 'all.jsonl', 'latchkey.yaml'],
      /exported 3 users[\s\S]*\nok {4}all\.jsonl: users: 3\n$/,
      'all.jsonl',
    ],
    help: [['export'], /^Usage: latchkey export .*\n[\s\S]*\nDocumentation: .*export-import\.md\n$/],
    import: [['users.jsonl', 'latchkey.yaml'], /100% \| 0 users[\s\S]*\nskip {2}user_exists: 3 \(lines 1, 2, 3\)\n$/],
    expire: [['--inactive', '2y', '--dry-run', 'activity.yaml'], /\nok {4}would be deleted: 0\n$/],
    ids: [['ids.yaml'], /checked .*100% \| 3 users[\s\S]*\nok {4}users with an id: 3\n$/],
    key: [
      ['--application', 'shop'],
      /^The secret, for the application\. [\s\S]*\n {2}- application: "shop"\n[\s\S]*\n$/,
    ],
    migrate: [['latchkey.yaml'], /^ok {4}database\.type is sqlite: nothing to migrate by this command\n$/],
    person: [['latchkey.yaml', 'user-1@example.com', '--erase'], /^ok {4}user-1@example\.com is erased: user: 1, .*\n/],
    'upgrade-check': [
      [join(program, '../..'), 'latchkey.yaml'],
      /^warn {2}rolling upgrade from .*\nok {4}way back from .*\n$/,
    ],
    reindex: [['ids.yaml'], /checked .*100% \| 3 users[\s\S]*\nok {4}users with all names: 3\n$/],
  };

  it('is tested with every command', async () => {
    const { status, text } = await finished(['--help']);
    expect(status).to.equal(0);
    const names = new Set([...text.matchAll(/^ {2}latchkey \[?([\w-]+)/gm)].map(([, name]) => name));
    expect([...names]).to.have.members([...Object.keys(commands), 'serve']);
  });

  /** A database with three users, imported once, because a process of its own for each command takes long. */
  let imported: Buffer | undefined;

  for (const [command, [args, text, wrote]] of Object.entries(commands))
    it(`does its work and ends with 0 on ${command}`, async () => {
      await installation().write('users.jsonl', lines(3));
      await installation().write('ids.yaml', 'database: {type: sqlite, path: users.db}\nusers: {ids: true}\n');
      await installation().write(
        'activity.yaml',
        'database: {type: sqlite, path: users.db}\nactivity: {since: 2020-01-01}\n',
      );
      if (imported === undefined) {
        expect((await installation().command(['import', 'users.jsonl', 'latchkey.yaml'])).status).to.equal(0);
        imported = await readFile(join(installation().folder, 'users.db'));
      } else await installation().write('users.db', imported);
      const run = await finished([command, ...args]);
      expect(run.text).to.match(text);
      expect(run.status).to.equal(0);
      if (wrote !== undefined) expect(await readdir(installation().folder)).to.include(wrote);
    });

  it('ends with 1 or 2 and the same text as elsewhere where it fails', async () => {
    await installation().write('wrong.yaml', 'colour: red\n');
    for (const args of [
      ['chekc'],
      ['serve', 'wrong.yaml'],
      ['check', 'wrong.yaml'],
      ['export', 'latchkey.yaml'],
      ['import', 'none.jsonl', 'latchkey.yaml'],
      ['backup', 'none.db', 'copy.db'],
      ['init'],
    ]) {
      const { status, text } = await finished(args);
      const elsewhere = await installation().command(args);
      expect([status, text], args.join(' ')).to.deep.equal([elsewhere.status, elsewhere.stderr]);
      expect(status, args.join(' ')).to.be.oneOf([1, 2]);
    }
  });

  it('imports and exports, shows how far it is, and leaves the standard output of an export clean', async () => {
    await installation().write('users.jsonl', lines(300));
    const imported = await finished(['import', 'users.jsonl', 'latchkey.yaml']);
    expect(imported.text).to.match(/imported .*100% \| 300 users[\s\S]*\nok {4}imported: 300\n$/);
    const exported = await finished(['export', 'latchkey.yaml']);
    const [last = '', ...users] = exported.text.trimEnd().split('\n').reverse();
    expect(last).to.equal('ok    standard output: users: 300');
    expect(new Set(users.map((line) => JSON.parse(line).email.address)).size).to.equal(300);
    expect([imported.status, exported.status]).to.deep.equal([0, 0]);
  });

  it('ends an import on Ctrl-C after the lines in progress, and says how to continue', async () => {
    await installation().configure(hashing);
    await installation().write('users.jsonl', lines(400));
    const run = open(importArgs);
    await run.until(() => /[1-9]\d* users/.test(run.text));
    run.pressCtrlC();
    expect(await run.ended).to.equal(1);
    const [, next] = /\nlatchkey: the import is incomplete; --from-line (\d+) continues it\n/.exec(run.text) ?? [];
    expect(run.text).to.match(new RegExp(`\\nok {4}imported: ${Number(next) - 1}\\n$`));
    expect(run.text).not.to.match(changedMode);
  });

  for (const args of [
    ['check', 'latchkey.yaml'],
    ['migrate', 'latchkey.yaml'],
    ['export', 'latchkey.yaml'],
    ['import', 'users.jsonl', 'latchkey.yaml'],
    ['reindex', 'latchkey.yaml'],
    ['person', 'latchkey.yaml', 'jane@example.com', '--export'],
  ])
    it(`says that Ctrl-C has interrupted it while it opened the database: ${args[0]}`, async () => {
      const server = await silentServer();
      try {
        const connectionString = `postgresql://127.0.0.1:${server.port}/accounts`;
        await installation().configure({ database: { type: 'postgresql', connectionString } });
        await installation().write('users.jsonl', lines(1));
        const run = open(args);
        await eventually(async () => expect(server.connections).not.to.have.length(0), 20_000);
        run.pressCtrlC();
        expect(await withTimeout(20_000, run.ended, () => new Error('it waits'))).to.equal(1);
        const during = args[0] === 'check' ? '' : ' while opening the database';
        expect(run.text.endsWith(`latchkey: interrupted${during}\n`), run.text).to.equal(true);
      } finally {
        await server.close();
      }
    });

  it('ends an import on Ctrl-C while the database is down, instead of waiting for it', async () => {
    const server = await resettingServer();
    try {
      const connectionString = `postgresql://127.0.0.1:${server.port}/accounts`;
      await installation().configure({ database: { type: 'postgresql', connectionString } });
      await installation().write('users.jsonl', lines(1));
      const run = open(['import', 'users.jsonl', 'latchkey.yaml']);
      await run.until(() => run.text.includes('imported'));
      const attempts = server.connections.length;
      await eventually(async () => expect(server.connections.length).to.be.above(attempts + 1), 20_000);
      run.pressCtrlC();
      expect(await withTimeout(20_000, run.ended, () => new Error('it waits'))).to.equal(1);
      expect(run.text).to.match(/the import is incomplete; --from-line 1 continues it\n/);
    } finally {
      await server.close();
    }
  });

  it('ends an import when its window is closed, as on Ctrl-C', async () => {
    await installation().configure(hashing);
    await installation().write('users.jsonl', `no JSON\n${lines(400)}`);
    const run = open([...importArgs, '--report', 'report'], '2>errors');
    await eventually(async () => expect(await file('report')).to.include('invalid_json'), 15_000);
    // An interactive shell repeats the signal of the terminal.
    run.signal('SIGHUP');
    run.closeWindow();
    await run.gone();
    expect(await file('errors')).to.match(/^latchkey: the import is incomplete; --from-line \d+ continues it\n$/);
  });

  it('ends an export on Ctrl-C or when its window is closed, after a page, and continues it', async () => {
    await installation().write('users.jsonl', lines(10_000));
    expect((await installation().command(['import', 'users.jsonl', 'latchkey.yaml'])).status).to.equal(0);
    const interrupted = open(['export', '--output', 'one.jsonl', 'latchkey.yaml']);
    await interrupted.until(() => /[1-9]\d* users/.test(interrupted.text));
    interrupted.pressCtrlC();
    expect(await interrupted.ended).to.equal(1);
    expect(interrupted.text).to.match(
      /\nlatchkey: one\.jsonl is incomplete; .* --resume continues it\nlatchkey: the export was interrupted\n$/,
    );
    expect(interrupted.text).not.to.match(changedMode);

    const closed = open(['export', '--output', 'two.jsonl', 'latchkey.yaml'], '2>errors');
    await eventually(async () => expect(await file('two.jsonl.position')).to.include('next'), 15_000);
    closed.closeWindow();
    await closed.gone();
    expect(await file('errors')).to.match(/^latchkey: two\.jsonl is incomplete; .*\nlatchkey: the export was .*\n$/);

    for (const output of ['one.jsonl', 'two.jsonl']) {
      const resumed = await finished(['export', '--resume', '--output', output, 'latchkey.yaml']);
      expect([resumed.status, resumed.text.split('\n').at(-2)]).to.deep.equal([0, `ok    ${output}: users: 10000`]);
    }
  });

  it('ends an export when the window that shows it is closed', async () => {
    await installation().write('users.jsonl', lines(1_000));
    expect((await installation().command(['import', 'users.jsonl', 'latchkey.yaml'])).status).to.equal(0);
    const run = open(['export', 'latchkey.yaml'], '2>errors');
    // The terminal takes a few KiB only, because nothing reads it any more.
    run.child.stdout?.once('data', () => run.child.stdout?.pause());
    await run.until(() => run.stdout !== '');
    run.closeWindow();
    await run.gone();
    expect(await file('errors')).to.match(/^latchkey: .*\n$/);
  });

  for (const workers of [1, 2])
    it(`serves with ${workers} process(es), and stops on Ctrl-C`, async () => {
      await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, workers } });
      const run = open(['serve', 'latchkey.yaml']);
      await run.until(() => /^Create a user:\n\n.*\n\n/m.test(run.text));
      const url = String(/^ {2}Service: +(\S+)$/m.exec(run.text)?.[1]);
      expect(await createUser(url, 'jane@example.com')).to.equal(201);
      run.pressCtrlC();
      expect(await run.ended).to.equal(0);
      expect(run.text).to.include('stopped').and.not.to.match(stackTrace).and.not.to.match(changedMode);
    });

  it('ends the service when its window is closed', async () => {
    const run = open(['serve', 'latchkey.yaml'], '2>errors');
    await run.until(() => run.text.includes('ready'));
    run.closeWindow();
    await run.gone();
    expect(await file('errors')).to.equal('');
  });

  for (const workers of [1, 2])
    it(`goes on serving with ${workers} process(es) without its window where SIGHUP means to read files again`, async () => {
      await installation().write('known.txt', 'a known password\n');
      await installation().configure({
        server: { host: '127.0.0.1', port: 0, adminPort: 0, workers },
        logging: { requests: 'all' },
        passwordHash: { algorithm: 'sha256', serverSideHash: true },
        passwordRules: { blocklist: 'known.txt' },
      });
      const run = open(['serve', 'latchkey.yaml'], '2>errors');
      await run.until(() => /^Create a user:\n\n.*\n\n/m.test(run.text));
      const url = String(/^ {2}Service: +(\S+)$/m.exec(run.text)?.[1]);
      run.closeWindow();
      await run.ended;
      expect(await createUser(url, 'jane@example.com')).to.equal(201);
      for (let n = 0; n < 5; n++) expect(await readUser(url, 'jane@example.com')).to.equal(200);
      expect(run.signal('SIGTERM')).to.equal(true);
      await run.gone();
      expect(await file('errors')).to.equal('');
      expect(existsSync(join(installation().folder, 'users.db-wal')), 'the database was closed').to.equal(false);
    });
});
