import type { MongoClient } from 'mongodb';
import type { Log } from '../../../application/ports/adapter.ts';
import { connectionReason } from './trouble.ts';

/** What the driver's own heartbeats tell about the servers. */
export interface Servers {
  /** Why a server can't be reached just now; undefined when the last heartbeat of each was answered. */
  failure(): string | undefined;
}

/** Follows the heartbeats of a client, and logs when a server is lost and when it is back. */
export const watchServers = (client: MongoClient, log: Log): Servers => {
  const failures = new Map<string, string>();
  client.on('serverHeartbeatFailed', ({ connectionId, failure }) => {
    const reason = connectionReason(failure);
    if (!failures.has(connectionId)) log.warn({ server: connectionId, reason }, 'a database server is lost');
    failures.set(connectionId, reason);
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => {
    if (failures.delete(connectionId)) log.info({ server: connectionId }, 'a database server is back');
  });
  // A server that left the deployment is nobody's trouble any more.
  client.on('serverClosed', ({ address }) => failures.delete(address));
  return { failure: () => failures.values().next().value };
};
