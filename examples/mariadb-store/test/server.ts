import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';

/** The path of a program of the Debian package, which is not in every `PATH`. */
const program = (name: string): string => {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/bin'];
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${name} is not installed; apt-get install mariadb-server`);
  return found;
};

/** The user to run as, because MariaDB refuses to run as root. */
const owner = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'mysql'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** A MariaDB server in a temporary folder. */
export class MariadbServer {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    readonly port: number,
  ) {}

  static async create(): Promise<MariadbServer> {
    const install = program('mariadb-install-db');
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-mariadb-'));
    const { uid, gid } = owner();
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    const options = [`--datadir=${join(folder, 'data')}`, '--auth-root-authentication-method=normal', '--skip-test-db'];
    execFileSync(install, ['--no-defaults', ...options], { ...owner(), cwd: folder, stdio: 'pipe' });
    const server = new MariadbServer(folder, await freePort());
    await server.start();
    const root = await createConnection({ uri: server.urlOf('root'), multipleStatements: true });
    await root.query('CREATE DATABASE latchkey; CREATE USER latchkey; GRANT ALL ON latchkey.* TO latchkey');
    await root.end();
    return server;
  }

  /** Its data directory. */
  get data(): string {
    return join(this.folder, 'data');
  }

  /** The connection string of a user without administrative privileges. */
  get url(): string {
    return `${this.urlOf('latchkey')}latchkey`;
  }

  /** Runs statements as an administrator. */
  async administer(sql: string): Promise<void> {
    const root = await createConnection(this.urlOf('root'));
    await root.query(sql);
    await root.end();
  }

  async start(): Promise<void> {
    const location = [`--datadir=${this.data}`, `--socket=${join(this.folder, 'socket')}`, `--port=${this.port}`];
    // Without fsync and a file for each table, because no test cuts the power.
    const speed = ['--innodb-flush-method=nosync', '--sync-frm=0', '--innodb-file-per-table=0'];
    const options = ['--bind-address=127.0.0.1', '--skip-name-resolve', ...speed];
    this.child = spawn(program('mariadbd'), ['--no-defaults', ...location, ...options], {
      ...owner(),
      cwd: this.folder,
      stdio: 'ignore',
    });
    for (const deadline = performance.now() + 20_000; ; ) {
      try {
        return await this.administer('SELECT 1');
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
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true });
  }

  private urlOf(user: string): string {
    return `mariadb://${user}@127.0.0.1:${this.port}/`;
  }
}
