import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { childrenOf, isRunning } from '../child-processes.ts';

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
  static async create(flags?: readonly string[]): Promise<PostgresServer> {
    const server = await PostgresServer.createEmpty(flags);
    const options = ['--username=latchkey', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];
    await server.run('initdb', [...options, server.data]);
    await server.start();
    return server;
  }

  /** The same without a data directory: it becomes a standby. */
  static async createEmpty(flags: readonly string[] = ['-F']): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-postgres-'));
    const { uid, gid } = owner();
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    const server = new PostgresServer(folder, await freePort(), flags);
    // Suites share a server, so that none of them disposes of it.
    process.once('exit', server.removeNow);
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
    // Tests find statements by a part of their text, which can be far from its beginning.
    const activity = ['-c', 'track_activity_query_size=4096'];
    const options = { ...owner(), cwd: this.folder, stdio: 'ignore' } as const;
    this.child = spawn(join(programs(), 'postgres'), [...location, ...activity, ...this.flags], options);
    await untilConnected(this.url);
  }

  /** Stops the server without a clean shutdown, or with one by SIGINT. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGQUIT'): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child === undefined) return;
    child.kill(signal);
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

  /** Kills all its processes, frozen or not. */
  async kill(): Promise<void> {
    const processes = this.signalAll('SIGKILL');
    this.child = undefined;
    while (processes.some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** Replaces what it has by a copy of another server, which it then follows as a standby. It must not run. */
  async follow(host: string, port: number): Promise<void> {
    rmSync(this.data, { recursive: true, force: true });
    const options = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync', '--username=latchkey'];
    await this.run('pg_basebackup', [...options, '-h', host, '-p', String(port), '-D', this.data]);
    await this.start();
  }

  /** The first value that a statement returns. */
  async query(statement: string, timeoutMs = 5_000): Promise<unknown> {
    const timeouts = { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs };
    const client = new Client({ connectionString: this.url, ...timeouts });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<unknown[]>({ text: statement, rowMode: 'array' });
      return rows[0]?.[0];
    } finally {
      await client.end();
    }
  }

  async dispose(): Promise<void> {
    process.off('exit', this.removeNow);
    await this.resume();
    await this.stop();
    rmSync(this.folder, { recursive: true });
  }

  private readonly removeNow = (): void => {
    this.signalAll('SIGKILL');
    // Repeated, because they end after the signal.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };

  /** Runs one of PostgreSQL's programs to its end. */
  private async run(program: string, args: readonly string[]): Promise<void> {
    await promisify(execFile)(join(programs(), program), args, { ...owner(), cwd: this.folder });
  }

  /**
   * Signals the server and the process of each connection, and returns their ids. The first one is stopped before, because
   * it starts the others.
   */
  private signalAll(signal: NodeJS.Signals): readonly number[] {
    const pid = this.child?.pid;
    if (pid === undefined || !isRunning(pid)) return [];
    if (signal === 'SIGKILL') process.kill(pid, 'SIGSTOP');
    const processes = [pid, ...childrenOf(pid)];
    for (const each of processes.filter(isRunning)) process.kill(each, signal);
    return processes;
  }
}
