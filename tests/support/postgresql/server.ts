import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

const versions = '/usr/lib/postgresql';

/** The folder of PostgreSQL's programs, from the Debian package or `PATH`. */
const programs = (): string => {
  const installed = existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, 'bin')) : [];
  const folder = [...installed.sort().reverse(), ...(process.env.PATH ?? '').split(':')].find((path) =>
    existsSync(join(path, 'initdb')),
  );
  if (folder === undefined) throw new Error('initdb is not installed; apt-get install postgresql');
  return folder;
};

/** The user to run as, because PostgreSQL refuses to run as root. */
const owner = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** A PostgreSQL server in a temporary folder. */
export class PostgresServer {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    readonly port: number,
  ) {}

  static async create(): Promise<PostgresServer> {
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
    const server = new PostgresServer(folder, await freePort());
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
    // Without fsync, because no test cuts the power.
    const options = { ...owner(), cwd: this.folder, stdio: 'ignore' } as const;
    this.child = spawn(join(programs(), 'postgres'), [...location, '-F'], options);
    for (const deadline = performance.now() + 20_000; ; ) {
      const client = new Client({ connectionString: this.url });
      try {
        await client.connect();
        return await client.end();
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  /** Stops the server without a clean shutdown. */
  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child === undefined) return;
    child.kill('SIGQUIT');
    await once(child, 'exit');
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true });
  }
}
