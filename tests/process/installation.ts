import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { Run } from './run.ts';

/** The built program. */
export const program = fileURLToPath(new URL('../../dist/latchkey.cjs', import.meta.url));
if (!existsSync(program)) throw new Error('dist is missing: run `npm run build` first, as `npm test` does');

const stopFirstReplacement = `import cluster from 'node:cluster';
  if (cluster.worker?.id === 3) process.kill(process.pid, 'SIGSTOP');`;
/**
 * Flags of Node.js for a service with two workers: the first one that replaces another stops itself before it listens, which
 * a test might do too late.
 */
export const firstReplacementStopped = [
  '--import',
  `data:text/javascript,${encodeURIComponent(stopFirstReplacement)}`,
] as const;

/** A running service process. */
export interface Serving {
  readonly run: Run;
  readonly url: string;
  readonly adminUrl: string;
  /** Stops it with a signal. Resolves with its exit status. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** A folder with a configuration, and the processes that run in it. */
export class Installation {
  private readonly runs: Run[] = [];

  private constructor(readonly folder: string) {}

  static async create(): Promise<Installation> {
    return new Installation(await mkdtemp(join(tmpdir(), 'latchkey-process-')));
  }

  /** Writes `latchkey.yaml`: SQLite and the outbox, on free ports, with some blocks replaced. */
  async configure(blocks: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const document = {
      server: { host: '127.0.0.1', port: 0, adminPort: 0 },
      database: { type: 'sqlite', path: 'users.db' },
      email: { type: 'outbox', directory: 'outbox' },
      auth: { type: 'basic', keys: [{ application: 'dev', secret: 'development-only' }] },
      ...blocks,
    };
    await this.write('latchkey.yaml', stringify(document));
  }

  write(name: string, content: string | Uint8Array): Promise<void> {
    return writeFile(join(this.folder, name), content);
  }

  /** Starts Node.js with arguments, in the folder; `before` is a command that a shell runs first, such as `ulimit`. */
  node(args: readonly string[], environment: NodeJS.ProcessEnv = {}, before?: string): Run {
    const { LATCHKEY_CONFIG: _, ...inherited } = process.env;
    const env = { ...inherited, ...environment };
    const shell = before === undefined ? [] : ['sh', '-c', `${before}; exec "$@"`, 'sh'];
    const [command = '', ...words] = [...shell, process.execPath, ...args];
    const run = new Run(spawn(command, words, { cwd: this.folder, env, stdio: ['ignore', 'pipe', 'pipe'] }));
    this.runs.push(run);
    return run;
  }

  /** Starts a command. */
  start(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Run {
    return this.node([program, ...args], environment);
  }

  /** Runs a command. Resolves with its exit status and output. */
  async command(
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
  ): Promise<{ status: number | NodeJS.Signals | null; stdout: string; stderr: string }> {
    const run = this.start(args, environment);
    const status = await run.ended;
    return { status, stdout: run.stdout, stderr: run.stderr };
  }

  /**
   * Starts the service, optionally with flags of Node.js and after a command of the shell. Resolves when it is ready.
   */
  async serve(
    environment: NodeJS.ProcessEnv = {},
    script = program,
    flags: readonly string[] = [],
    before?: string,
  ): Promise<Serving> {
    const run = this.node([...flags, script, 'serve', 'latchkey.yaml'], environment, before);
    let isWelcomed = false;
    await run.until(() => {
      // Not at the end only: a thread may trace its modules afterwards.
      isWelcomed ||= /(?:healthcheck|\/users)\n\n/.test(run.latestStderr);
      return isWelcomed && run.stdout.includes('"listening"');
    });
    const started = run.log.find(({ msg }) => msg === 'listening');
    return {
      run,
      url: String(started?.url),
      adminUrl: String(started?.admin),
      stop: (signal = 'SIGTERM') => {
        run.child.kill(signal);
        return run.ended;
      },
    };
  }

  /** Kills all processes, and removes the folder. */
  async dispose(): Promise<void> {
    for (const { child } of this.runs) child.kill('SIGKILL');
    await Promise.all(this.runs.map(({ ended }) => ended));
    await rm(this.folder, { recursive: true });
  }
}

/** Creates an installation for each test of a suite. */
export const eachWithInstallation = (): (() => Installation) => {
  let installation: Installation | undefined;
  beforeEach(async () => {
    installation = await Installation.create();
    await installation.configure();
  });
  afterEach(async () => {
    await installation?.dispose();
  });
  return () => {
    if (installation === undefined) throw new TypeError('there is an installation only while a test runs');
    return installation;
  };
};

/** The headers of the configured client. */
export const clientHeaders = {
  Authorization: `Basic ${Buffer.from('dev:development-only').toString('base64')}`,
  'Content-Type': 'application/json',
};

/** Creates a user. Resolves with the status. */
export const createUser = async (url: string, address: string, password = 'correct horse'): Promise<number> => {
  const body = JSON.stringify({ email: { address }, password });
  const response = await fetch(`${url}/users`, { method: 'POST', headers: clientHeaders, body });
  await response.text();
  return response.status;
};

/** Reads a user. Resolves with the status. */
export const readUser = async (url: string, address: string, password = 'correct horse'): Promise<number> => {
  const headers = { ...clientHeaders, password };
  const response = await fetch(`${url}/users?email=${encodeURIComponent(address)}`, { headers });
  await response.text();
  return response.status;
};
