import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { Connections } from './connections.ts';
import { answerUnserved, guarded } from './protocol-errors.ts';
import { progressInterval } from './write-progress.ts';

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
  const connections = new Connections(guarded(handle));
  const serve: RequestListener = (request, response) => connections.serve(request, response);
  const server = await serverOf(tls, serve);
  // Node.js silently drops the headers after the first 1,023, those of a proxy among them: the size is bounded instead.
  server.maxHeadersCount = 0;
  // A client that asks before it sends its body is told to go on when the body is wanted (RFC 9110, section 10.1.1).
  // It may send the body all the same, so that this is the last request of its connection.
  server.on('checkContinue', (request, response) => {
    response.setHeader('Connection', 'close');
    serve(request, response);
  });
  // Other expectations are ignored.
  server.on('checkExpectation', serve);
  answerUnserved(server, connections);
  // With TLS a connection is one when both sides have agreed on it; until then it is only there to be closed.
  if (tls !== null) server.on('connection', (socket) => connections.addUnready(socket));
  server.on(tls === null ? 'connection' : 'secureConnection', (socket) => connections.add(socket));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new TypeError('not a TCP port'));
      const looking = setInterval(() => connections.destroyStalled(), progressInterval).unref();
      server.once('close', () => clearInterval(looking));
      resolve({ url: urlOf(address, tls === null ? 'http' : 'https'), stop: stopper(server, connections) });
    });
  });
};
