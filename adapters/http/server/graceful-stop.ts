import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { type Connection, type Connections, isPending } from './connections.ts';

/** Idle connections are closed this long after the stop begins, so that requests already sent are still answered. */
const idleGraceMs = 250;

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** The connections of a server whose TLS handshake is not finished, and which therefore carry no request yet. */
export class TlsHandshakes {
  /** By remote address and port, because Node.js creates another socket object after the handshake. */
  private readonly sockets = new Map<string, Socket>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      const peer = peerOf(socket);
      this.sockets.set(peer, socket);
      socket.once('close', () => this.sockets.delete(peer));
    });
    server.on('secureConnection', (socket: Socket) => this.sockets.delete(peerOf(socket)));
  }

  destroy(): void {
    for (const socket of this.sockets.values()) socket.destroy();
  }
}

/** Ends the connections of a server without losing a request: the last response of each says `Connection: close`. */
class GracefulStop {
  /** Responses that got `Connection: close` here. */
  private readonly marked = new WeakSet<ServerResponse>();
  private isIdleEnded = false;

  constructor(
    private readonly connections: Connections,
    private readonly handshakes: TlsHandshakes | null,
  ) {
    connections.admitBy((connection, response) => this.admit(connection, response));
    for (const connection of connections.all()) {
      if (isPending(connection.latest)) this.markAsLast(connection.latest, connection);
    }
  }

  /** Whether to serve a further request of a connection: not when a response before it was sent as the last one. */
  private admit(connection: Connection, response: ServerResponse): boolean {
    const previous = connection.latest;
    if (previous !== undefined && this.marked.has(previous)) {
      if (previous.headersSent) return false;
      // The client sent this request before it received the previous response, which is therefore not the last one.
      previous.removeHeader('Connection');
      this.marked.delete(previous);
    }
    this.markAsLast(response, connection);
    return true;
  }

  /**
   * Ends every connection without a pending response, including those that sent nothing or half a request, which Node.js
   * would keep open after the server is closed. The others end with their response.
   */
  endIdle(): void {
    this.isIdleEnded = true;
    for (const { socket, latest } of this.connections.all()) if (!isPending(latest)) socket.destroySoon();
    this.handshakes?.destroy();
  }

  private markAsLast(response: ServerResponse, connection: Connection): void {
    if (!response.headersSent && !response.hasHeader('Connection')) {
      response.setHeader('Connection', 'close');
      this.marked.add(response);
    }
    // Headers that were sent before the stop promised to keep the connection open, so it is closed after the response.
    response.once('close', () => {
      if (this.isIdleEnded && connection.latest === response) connection.socket.destroySoon();
    });
  }
}

/**
 * Stops accepting connections, lets accepted requests finish for at most `timeoutMs` milliseconds, then destroys the
 * connections that are left. Resolves when the last one is closed.
 */
export const stopGracefully = (
  server: Server,
  connections: Connections,
  handshakes: TlsHandshakes | null,
  timeoutMs: number,
): Promise<void> =>
  new Promise((resolve) => {
    const stop = new GracefulStop(connections, handshakes);
    const idleTimer = setTimeout(() => stop.endIdle(), Math.min(idleGraceMs, timeoutMs));
    const lastTimer = setTimeout(() => {
      connections.destroy();
      handshakes?.destroy();
    }, timeoutMs);
    // http.Server.close would reset idle connections immediately and lose requests in transit.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(idleTimer);
      clearTimeout(lastTimer);
      server.close();
      resolve();
    });
  });
