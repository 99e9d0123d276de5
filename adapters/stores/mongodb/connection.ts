import type { MongoClient } from 'mongodb';
import type { Log } from '../../../application/ports/adapter.ts';
import { connectionReason } from './trouble.ts';

/** The connection to a deployment, and what the driver's heartbeats tell about its servers. */
export class Connection {
  private opened: Promise<unknown> | undefined;
  private connected = false;
  private readonly failures = new Map<string, string>();

  constructor(
    private readonly client: MongoClient,
    private readonly log: Log,
  ) {
    client.on('serverHeartbeatFailed', ({ connectionId, failure }) => this.lose(connectionId, failure));
    client.on('serverHeartbeatSucceeded', ({ connectionId }) => {
      if (this.failures.delete(connectionId)) this.log.info({ server: connectionId }, 'a database server is back');
    });
    client.on('serverClosed', ({ address }) => {
      // It left the deployment, unless an attempt to connect was given up.
      if (this.connected) this.failures.delete(address);
    });
  }

  /**
   * Resolves when the deployment was reached once; from then on the driver finds its servers again by itself.
   * Before that it doesn't: its operations fail for good after a first attempt that failed, so that each one asks here.
   */
  async ready(): Promise<void> {
    this.opened ??= this.client.connect();
    const attempt = this.opened;
    try {
      await attempt;
      this.connected = true;
    } catch (error) {
      if (this.opened === attempt) this.opened = undefined;
      throw error;
    }
  }

  /** Why a server can't be reached just now; undefined when the last heartbeat of each was answered. */
  failure(): string | undefined {
    return this.failures.values().next().value;
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private lose(server: string, failure: Error): void {
    const reason = connectionReason(failure);
    if (!this.failures.has(server)) this.log.warn({ server, reason }, 'a database server is lost');
    this.failures.set(server, reason);
  }
}
