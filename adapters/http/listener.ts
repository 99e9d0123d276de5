import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
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
  /** `http://host:port` or `https://host:port`, with the port that was really taken. */
  readonly url: string;
  /**
   * Stops accepting, lets every accepted request finish for at most `patience` milliseconds, then closes what is left.
   * Resolves when the last connection is closed.
   */
  stop(patience: number): Promise<void>;
}

const urlOf = ({ address, family, port }: AddressInfo, protocol: string): string => {
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `${protocol}://${host}:${port}`;
};

/**
 * For how long a connection between two requests stays open while the service stops, in milliseconds: a request that
 * was on its way is answered, and told that it was the last one.
 */
const grace = 250;

/** A certificate chain and its private key, both in PEM form. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Where to listen: 0 takes a free port. */
export interface Place {
  readonly host: string;
  readonly port: number;
  /** Null speaks HTTP without TLS. */
  readonly tls: Certificate | null;
}

/** The open connections of a server, each with the answer to its newest request: the last one that is owed on it. */
class Connections {
  /** The answers that were told to be the last ones. */
  private readonly concluding = new WeakSet<ServerResponse>();
  private readonly newest = new Map<Socket, ServerResponse | undefined>();
  /** Those that have not agreed on TLS yet, by their peers. */
  private readonly unready = new Map<string, Socket>();
  private phase: 'serving' | 'ending' | 'ended' = 'serving';

  add(socket: Socket): void {
    this.unready.delete(peerOf(socket));
    this.newest.set(socket, undefined);
    socket.once('close', () => this.newest.delete(socket));
  }

  /** Notes a connection that carries no request before TLS is agreed on; `add` is then given another socket for it. */
  addUnready(socket: Socket): void {
    const peer = peerOf(socket);
    this.unready.set(peer, socket);
    socket.once('close', () => this.unready.delete(peer));
  }

  /**
   * Notes that a request arrived, and tells whether to serve it: not when an answer before it has said that it is the
   * last one of the connection. When the service is stopping, the newest answer is the last one.
   */
  owe(response: ServerResponse, socket: Socket): boolean {
    const previous = this.newest.get(socket);
    if (previous !== undefined && this.concluding.has(previous)) {
      if (previous.headersSent) return false;
      // A client that doesn't wait for answers sent the next request before it was told.
      previous.removeHeader('Connection');
      this.concluding.delete(previous);
    }
    this.newest.set(socket, response);
    if (this.phase !== 'serving') this.conclude(response, socket);
    return true;
  }

  /** From now on every answer is the last one of its connection. */
  beginEnding(): void {
    this.phase = 'ending';
    for (const [socket, response] of this.newest) if (isOwed(response)) this.conclude(response, socket);
  }

  /**
   * Ends every connection on which no answer is owed: also those that never sent a byte, or half a request, which
   * Node.js takes for busy and no longer watches once its server is closed. The others end with their answer.
   */
  endIdle(): void {
    this.phase = 'ended';
    for (const [socket, response] of this.newest) if (!isOwed(response)) socket.destroySoon();
    this.endUnready();
  }

  destroy(): void {
    for (const socket of this.newest.keys()) socket.destroy();
    this.endUnready();
  }

  private endUnready(): void {
    for (const socket of this.unready.values()) socket.destroy();
  }

  private conclude(response: ServerResponse, socket: Socket): void {
    if (!response.headersSent && !response.hasHeader('Connection')) {
      response.setHeader('Connection', 'close');
      this.concluding.add(response);
    }
    // The answer whose headers had been sent before the service began to stop promised to keep the connection.
    response.once('close', () => {
      if (this.phase === 'ended' && this.newest.get(socket) === response) socket.destroySoon();
    });
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

const isOwed = (response: ServerResponse | undefined): response is ServerResponse =>
  response !== undefined && !response.writableFinished;

const stopper = (server: Server, connections: Connections): Listener['stop'] => {
  return (patience) =>
    new Promise((resolve) => {
      const idle = setTimeout(() => connections.endIdle(), Math.min(grace, patience));
      const last = setTimeout(() => connections.destroy(), patience);
      connections.beginEnding();
      // The close of http.Server would at once reset idle connections, and the requests that are on their way on them.
      NetServer.prototype.close.call(server, () => {
        clearTimeout(idle);
        clearTimeout(last);
        server.close();
        resolve();
      });
    });
};

/** A server of either kind; the one with TLS is loaded only when it is wanted. */
const serverOf = async (tls: Certificate | null, serve: RequestListener): Promise<Server> => {
  if (tls === null) return createServer(bounds, serve);
  const https = await import('node:https');
  return https.createServer({ ...bounds, ...tls, handshakeTimeout: bounds.headersTimeout }, serve);
};

/** Listens. Rejects with the system's error when the port can't be had. */
export const listen = async (handle: RequestListener, { host, port, tls }: Place): Promise<Listener> => {
  const connections = new Connections();
  const guardedHandle = guarded(handle);
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (connections.owe(response, request.socket)) guardedHandle(request, response);
  };
  const server = await serverOf(tls, serve);
  // A client that asks before it sends its body is told to go on when the body is wanted (RFC 9110, section 10.1.1).
  // It may send the body all the same, so that this is the last request of its connection.
  server.on('checkContinue', (request, response) => {
    response.setHeader('Connection', 'close');
    serve(request, response);
  });
  // Other expectations are ignored.
  server.on('checkExpectation', serve);
  answerUnserved(server);
  // With TLS a connection is one when both sides have agreed on it; until then it is only there to be closed.
  if (tls !== null) server.on('connection', (socket) => connections.addUnready(socket));
  server.on(tls === null ? 'connection' : 'secureConnection', (socket) => connections.add(socket));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new TypeError('not a TCP port'));
      resolve({ url: urlOf(address, tls === null ? 'http' : 'https'), stop: stopper(server, connections) });
    });
  });
};
