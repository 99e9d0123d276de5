import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

const versions = '/usr/lib/postgresql';

/** The folder of PostgreSQL's programs: `POSTGRESQL_BIN`, or that of the Debian package, or one of `PATH`. */
const programs = (): string => {
  const { POSTGRESQL_BIN, PATH = '' } = process.env;
  if (POSTGRESQL_BIN) return POSTGRESQL_BIN;
  const installed = existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, 'bin')) : [];
  const folder = [...installed.sort().reverse(), ...PATH.split(':')].find((path) => existsSync(join(path, 'initdb')));
  if (folder === undefined) throw new Error('initdb is not installed; apt-get install postgresql');
  return folder;
};

/** The user to run as, because PostgreSQL refuses to run as root. */
export const owner = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
};

/** A port that nothing listens on. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** Resolves when a server accepts connections; rejects after 20 s. */
export const untilConnected = async (connectionString: string): Promise<void> => {
  for (const deadline = performance.now() + 20_000; ; ) {
    const client = new Client({ connectionString });
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
};

/** A PostgreSQL server in a temporary folder. */
export class PostgresServer {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    readonly port: number,
    private readonly flags: readonly string[],
  ) {}

  /** Starts a server with further arguments: by default without fsync, because no test cuts the power. */
  static async create(flags: readonly string[] = ['-F']): Promise<PostgresServer> {
    const initdb = join(programs(), 'initdb');
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-postgres-'));
    const { uid, gid } = owner();
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    const options = ['--username=latchkey', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];
    execFileSync(initdb, [...options, join(folder, 'data')], {
      ...owner(),
      cwd: folder,
      stdio: 'pipe',
    });
    const server = new PostgresServer(folder, await freePort(), flags);
    // Suites share a server, so that none of them disposes of it.
    process.once('exit', server.removeNow);
    await server.start();
    return server;
  }

  /** Its data directory. */
  get data(): string {
    return join(this.folder, 'data');
  }

  get url(): string {
    return `postgresql://latchkey@127.0.0.1:${this.port}/postgres`;
  }

  async start(): Promise<void> {
    const location = ['-D', this.data, '-k', this.folder, '-h', '127.0.0.1', '-p', String(this.port)];
    const options = { ...owner(), cwd: this.folder, stdio: 'ignore' } as const;
    this.child = spawn(join(programs(), 'postgres'), [...location, ...this.flags], options);
    await untilConnected(this.url);
  }

  /** Stops the server without a clean shutdown. */
  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child === undefined) return;
    child.kill('SIGQUIT');
    await once(child, 'exit');
  }

  /** Freezes the server: connections stay open without responses. */
  async pause(): Promise<void> {
    this.signalAll('SIGSTOP');
  }

  /** Ends the pause. */
  async resume(): Promise<void> {
    this.signalAll('SIGCONT');
  }

  async dispose(): Promise<void> {
    process.off('exit', this.removeNow);
    await this.resume();
    await this.stop();
    rmSync(this.folder, { recursive: true });
  }

  private readonly removeNow = (): void => {
    this.signalAll('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  };

  /** Signals the server and the process of each connection. The first one first, because it starts the others. */
  private signalAll(signal: NodeJS.Signals): void {
    const pid = this.child?.pid;
    if (pid === undefined) return;
    this.child?.kill(signal);
    const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
    for (const other of stdout.split('\n').filter((line) => line !== '')) {
      try {
        process.kill(Number(other), signal);
      } catch {
        // It has ended.
      }
    }
  }
}
