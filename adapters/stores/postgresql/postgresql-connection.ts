import { setTimeout } from 'node:timers/promises';
import { type ClientConfig, Pool, type PoolClient } from 'pg';
import { Fault } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import { isFull, isWrongPassword, toFault } from './errors.ts';
import { GuardedClient } from './guarded-client.ts';
import { PrimarySearch } from './primary-search.ts';

interface ConnectionOptions {
  readonly servers: readonly ClientConfig[];
  /** Whether the password is read for every connection. The server may know it a little earlier or later. */
  readonly passwordChanges: boolean;
  readonly poolSize: number;
  /** Timeout of a call in milliseconds; the wait for a connection is a part of it. */
  readonly timeoutMs: number;
}

const maxConnectMs = 3_000;
/** The pause after which a changed password, a free connection, or another primary is expected. */
const pauseMs = 100;

/** Connections whose last commit stopped waiting for a synchronous standby, because an administrator cancelled it. */
const unconfirmed = new WeakSet<PoolClient>();

/** The connections of a pool, which can be ended while they are in use. */
class ServerPool {
  private readonly pool: Pool;
  private readonly clients = new Set<PoolClient>();
  private readonly waiting = new Set<(error: Error) => void>();

  constructor(server: ClientConfig, size: number, log: Log) {
    this.pool = new Pool({ ...server, max: size, idleTimeoutMillis: 60_000 });
    // Without a listener, an error on an idle connection would end the process.
    this.pool.on('error', (error) => {
      if (!this.pool.ending) log.warn({ reason: toFault(error).message }, 'lost a database connection');
    });
    this.pool.on('connect', (client) => {
      this.clients.add(client);
      // The same for a connection in use: its query also fails, and reports it.
      client.on('error', () => undefined);
      // The texts of notices are translated. The server sends this one before it reports success.
      client.on('notice', ({ routine }) => {
        if (routine === 'SyncRepWaitForLSN') unconfirmed.add(client);
      });
    });
    this.pool.on('remove', (client) => this.clients.delete(client));
  }

  /** Rejects also when the pool is destroyed meanwhile. */
  acquire(): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      this.pool.connect().then(
        (client) => {
          if (this.waiting.delete(reject)) resolve(client);
          else client.release(true);
        },
        (error) => {
          this.waiting.delete(reject);
          reject(error);
        },
      );
    });
  }

  has(client: PoolClient): boolean {
    return this.clients.has(client);
  }

  /** Resolves when no connection is in use any more. */
  async close(): Promise<void> {
    if (!this.pool.ending) await this.pool.end();
    // A server that does not respond would not close them.
    this.destroy();
  }

  /** Ends all connections at once. Statements in progress fail. */
  destroy(): void {
    if (!this.pool.ending) void this.pool.end();
    for (const { connection } of this.clients) connection.stream.destroy();
    for (const reject of this.waiting)
      reject(new Fault('store_unavailable', 'PostgreSQL: another server is the primary'));
    this.waiting.clear();
  }
}

/** The connections to the primary, the only server that a store uses. */
export class Connection {
  private pool: ServerPool | undefined;
  /** Undefined for one server, which is asked nothing besides the calls. */
  private readonly search: PrimarySearch | undefined;
  private isClosed = false;

  constructor(
    private readonly options: ConnectionOptions,
    log: Log,
  ) {
    const { servers, poolSize, timeoutMs } = options;
    const connectionTimeoutMillis = Math.min(maxConnectMs, timeoutMs);
    const common = {
      Client: GuardedClient,
      application_name: 'latchkey',
      keepAlive: true,
      connectionTimeoutMillis,
    } as const;
    const configs = servers.map((server) => ({ ...common, ...server }));
    const open = (server: ClientConfig) => new ServerPool(server, poolSize, log);
    const [only, ...others] = configs;
    if (only !== undefined && others.length === 0) this.pool = open(only);
    else
      this.search = new PrimarySearch(configs, (server) => {
        if (this.isClosed) return;
        const former = this.pool;
        this.pool = open(server);
        former?.destroy();
        log.info({ server: `${server.host}:${server.port}` }, 'the database server is the primary');
      });
  }

  /**
   * A connection to the primary, which the caller releases. Among several servers it waits until a primary is found, or a
   * time of `performance.now()`.
   */
  async acquire(deadlineMs: number): Promise<PoolClient> {
    for (const startedMs = performance.now(); ; ) {
      await this.search?.ready();
      const { pool } = this;
      try {
        if (pool === undefined) throw new Fault('store_unavailable', 'PostgreSQL: no server is the primary');
        return await pool.acquire();
      } catch (error) {
        if (pool !== this.pool) continue;
        const isChanging = isFull(error) || (this.options.passwordChanges && isWrongPassword(error));
        const isMoving = this.search !== undefined && toFault(error).code === 'store_unavailable';
        // Before the deadline, after which the error would not say that the password is wrong.
        const endMs = isMoving ? deadlineMs : Math.min(startedMs + maxConnectMs, deadlineMs - pauseMs);
        if (this.isClosed || !(isChanging || isMoving) || performance.now() + pauseMs > endMs) {
          this.doubt();
          throw error;
        }
        await this.search?.doubt();
        if (pool === this.pool) await setTimeout(pauseMs);
      }
    }
  }

  /**
   * Rejects if the reply of a connection to what was sent at a time of `performance.now()` does not count: a commit may be on
   * the disk of the primary only, or another server may have been promoted before.
   */
  async confirm(client: PoolClient, sentMs: number): Promise<void> {
    if (unconfirmed.has(client)) throw new Fault('store_unavailable', 'PostgreSQL: no standby confirmed the write');
    if (this.search === undefined) return;
    await this.search.confirm(sentMs);
    if (this.pool?.has(client) !== true)
      throw new Fault('store_unavailable', 'PostgreSQL: another server is the primary');
  }

  /** Why no reply of the server of a connection counts that is a standby. Among several hosts another one is found. */
  standbyFault(): Fault {
    const advice = this.search === undefined ? '; connectionString has to name all hosts' : '';
    return new Fault('store_unavailable', `PostgreSQL: the server is a standby${advice}`);
  }

  /** Looks for the primary, because the server of a connection failed or is a standby. */
  doubt(): void {
    void this.search?.doubt();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([this.search?.close(), this.pool?.close()]);
  }
}
