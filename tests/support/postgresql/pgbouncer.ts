import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, owner, type PostgresServer, untilConnected } from './server.ts';

const installed = '/usr/sbin/pgbouncer';

/** PgBouncer in transaction mode in front of a server: consecutive transactions of a client have different sessions. */
export class PgBouncer {
  private constructor(
    private readonly folder: string,
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    process.once('exit', this.removeNow);
  }

  static async before(server: PostgresServer): Promise<PgBouncer> {
    const { uid, gid } = owner();
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-pgbouncer-'));
    const file = join(folder, 'pgbouncer.ini');
    // Fewer sessions than the service has connections, so that they change hands.
    const lines = [
      '[databases]',
      `* = host=127.0.0.1 port=${server.port} user=latchkey`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      'auth_type = any\npool_mode = transaction\ndefault_pool_size = 5\nmax_client_conn = 1000',
    ];
    writeFileSync(file, lines.join('\n'));
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    const program = existsSync(installed) ? installed : 'pgbouncer';
    const child = spawn(program, ['--quiet', file], { uid, gid, cwd: folder, stdio: 'ignore' });
    const failed = once(child, 'exit').then(([status]) => Promise.reject(new Error(`PgBouncer exited with ${status}`)));
    const bouncer = new PgBouncer(folder, child, `postgresql://latchkey@127.0.0.1:${port}/postgres`);
    await Promise.race([untilConnected(bouncer.url), failed]);
    failed.catch(() => undefined);
    return bouncer;
  }

  async dispose(): Promise<void> {
    process.off('exit', this.removeNow);
    const ended = once(this.child, 'exit');
    this.removeNow();
    await ended;
  }

  private readonly removeNow = (): void => {
    this.child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  };
}
