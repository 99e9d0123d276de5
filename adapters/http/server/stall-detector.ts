import type { Duplex } from 'node:stream';
import type { Connection, Connections } from './connections.ts';

const checkIntervalMs = 5_000;

/** A connection is destroyed when this many checks in a row, 30 seconds, see no progress. */
const maxChecks = 6;

interface Progress {
  readonly unsentBytes: number;
  readonly writtenBytes: number;
  readonly checks: number;
}

const bytesWrittenTo = (socket: Duplex): number =>
  'bytesWritten' in socket && typeof socket.bytesWritten === 'number' ? socket.bytesWritten : 0;

/**
 * Destroys connections whose client reads nothing of its response for 30 seconds. `socket.setTimeout` is not enough,
 * because anything that the client sends restarts it.
 */
export class StallDetector {
  private unfinished = new Map<Duplex, Progress>();

  /** Checks the connections until the returned timer is cleared. */
  watch(connections: Connections): NodeJS.Timeout {
    return setInterval(() => this.check(connections.all()), checkIntervalMs).unref();
  }

  check(connections: Iterable<Connection>): void {
    const unfinished = new Map<Duplex, Progress>();
    for (const { socket } of connections) {
      const unsentBytes = socket.writableLength;
      if (unsentBytes === 0) continue;
      const writtenBytes = bytesWrittenTo(socket);
      const last = this.unfinished.get(socket);
      const isStalled = last?.unsentBytes === unsentBytes && last.writtenBytes === writtenBytes;
      const checks = isStalled ? last.checks + 1 : 0;
      if (checks >= maxChecks) socket.destroy();
      else unfinished.set(socket, { unsentBytes, writtenBytes, checks });
    }
    this.unfinished = unfinished;
  }
}
