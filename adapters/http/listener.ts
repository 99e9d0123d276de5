import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerUnserved, guarded } from './unserved.ts';

/** Bounds for slow or careless clients, in milliseconds and bytes. */
const bounds = {
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
  // Node.js would answer without a problem document.
  requireHostHeader: false,
};

/** A port that is being listened on. */
export interface Listener {
  /** `http://host:port`, with the port that was really taken. */
  readonly url: string;
  /**
   * Stops accepting, lets every accepted request finish for at most `patience` milliseconds, then closes what is left.
   * Resolves when the last connection is closed.
   */
  stop(patience: number): Promise<void>;
}

const urlOf = ({ address, family, port }: AddressInfo): string => {
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
};

/** The open connections of a server, and the answers that are still owed on them. */
class Connections {
  private readonly sockets = new Set<Socket>();
  private readonly owed = new Map<ServerResponse, Socket>();
  private ending = false;

  add(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }

  owe(response: ServerResponse, socket: Socket): void {
    this.owed.set(response, socket);
    response.once('close', () => this.owed.delete(response));
    if (this.ending) this.makeLast(response, socket);
  }

  /**
   * Lets every connection end with the answer that is owed on it, and the others now: also those that never sent a
   * byte, or half a request, which Node.js takes for busy and no longer watches once its server is closed.
   */
  end(): void {
    this.ending = true;
    for (const [response, socket] of this.owed) this.makeLast(response, socket);
    const busy = new Set(this.owed.values());
    for (const socket of this.sockets) if (!busy.has(socket)) socket.destroySoon();
  }

  destroy(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private makeLast(response: ServerResponse, socket: Socket): void {
    if (!response.headersSent) response.setHeader('Connection', 'close');
    response.once('close', () => socket.destroySoon());
  }
}

const stopper = (server: Server, connections: Connections): Listener['stop'] => {
  return (patience) =>
    new Promise((resolve) => {
      const last = setTimeout(() => connections.destroy(), patience);
      server.close(() => {
        clearTimeout(last);
        resolve();
      });
      connections.end();
    });
};

/** Listens on a port; 0 takes a free one. Rejects with the system's error when the port can't be had. */
export const listen = (handle: RequestListener, host: string, port: number): Promise<Listener> => {
  const connections = new Connections();
  const guardedHandle = guarded(handle);
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    connections.owe(response, request.socket);
    guardedHandle(request, response);
  };
  const server = createServer(bounds, serve);
  // A client that asks before it sends its body is told to go on when the body is wanted; other expectations are ignored.
  server.on('checkContinue', serve);
  server.on('checkExpectation', serve);
  answerUnserved(server);
  server.on('connection', (socket) => connections.add(socket));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new TypeError('not a TCP port'));
      resolve({ url: urlOf(address), stop: stopper(server, connections) });
    });
  });
};
