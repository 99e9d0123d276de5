import { type ClientConfig, Pool, type PoolClient } from 'pg';
import type { Log } from '../../../application/ports/log.ts';
import { toFault } from './errors.ts';

export interface ConnectionOptions {
  readonly servers: readonly ClientConfig[];
  readonly poolSize: number;
  /** Timeout of a call in milliseconds; the wait for a connection is a part of it. */
  readonly timeoutMs: number;
}

/** The connections to the server that takes writes. */
export class Connection {
  private readonly pool: Pool;

  constructor({ servers: [server], poolSize, timeoutMs }: ConnectionOptions, log: Log) {
    this.pool = new Pool({
      ...server,
      max: poolSize,
      application_name: 'latchkey',
      keepAlive: true,
      connectionTimeoutMillis: Math.min(3_000, timeoutMs),
    });
    // Without a listener, an error on an idle connection would end the process.
    this.pool.on('error', (error) => log.warn({ reason: toFault(error).message }, 'lost a database connection'));
    // The same for a connection in use: its query fails as well, and reports it.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** A connection to the primary, which the caller releases. */
  acquire(): Promise<PoolClient> {
    return this.pool.connect();
  }

  async close(): Promise<void> {
    if (!this.pool.ending) await this.pool.end();
  }
}
