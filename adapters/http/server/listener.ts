import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connections, maxHeaders } from './connections.ts';
import { stopGracefully, TlsHandshakes } from './graceful-stop.ts';
import { answerProtocolError, answerProtocolErrors, type ProtocolReply } from './protocol-errors.ts';
import { StallDetector } from './stall-detector.ts';

/** How long a client may take to send a request. */
export const requestTimeoutMs = 30_000;

/** Limits for slow or faulty clients, in milliseconds and bytes. */
const limits = {
  headersTimeout: 5_000,
  requestTimeout: requestTimeoutMs,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
  // `Connections` checks the header instead, so that the response is a problem document.
  requireHostHeader: false,
};

/** Files for databases, mail servers, webhooks and the other port; at most half of those that the process may open. */
const reservedFiles = 512;

/** How many files the process may open, connections included; undefined where the system does not tell. */
const maxOpenFiles = (): number | undefined => {
  try {
    const [, files] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return files === undefined ? undefined : Number(files);
  } catch {
    return undefined;
  }
};

/**
 * Closes further connections at once when the open ones leave too few files. A worker without a file for a connection
 * would not answer the primary process, which then gives it no other connection, even after all are closed.
 */
const limitConnections = (server: Server): void => {
  const files = maxOpenFiles();
  if (files === undefined) return;
  const maxConnections = Math.max(files - reservedFiles, Math.floor(files / 2));
  // Without the second option, workers would hand the connection to each other again and again.
  Object.assign(server, { maxConnections, dropMaxConnection: true });
};

/** A certificate chain and its private key, both in PEM form. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface ListenOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Null serves HTTP without TLS. */
  readonly tls: Certificate | null;
}

/** A port on which the service listens. */
export interface Listener {
  /** `http://host:port` or `https://host:port`, with the actual port. */
  readonly url: string;
  /** From now on serves new requests with `handle`, and new connections of TLS with `tls`. Open connections stay. */
  replace(handle: RequestListener, tls: Certificate | null): void;
  /**
   * Stops accepting connections, lets accepted requests finish for at most `timeoutMs` milliseconds, then closes what is
   * left. Resolves when the last connection is closed.
   */
  stop(timeoutMs: number): Promise<void>;
}

const urlOf = ({ address, family, port }: AddressInfo, protocol: string): string => {
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `${protocol}://${host}:${port}`;
};

/** A server, and what replaces its certificate; undefined without TLS. */
interface CreatedServer {
  readonly server: Server;
  readonly certify?: (tls: Certificate) => void;
}

const createServerFor = async (tls: Certificate | null, serve: RequestListener): Promise<CreatedServer> => {
  if (tls === null) return { server: createServer(limits, serve) };
  const https = await import('node:https');
  const server = https.createServer({ ...limits, ...tls, handshakeTimeout: limits.headersTimeout }, serve);
  return { server, certify: (next) => server.setSecureContext(next) };
};

/**
 * Starts a server that listens. `replyTo` answers requests that never reach `handle`. Rejects with the system error if
 * the port is not available.
 */
export const listen = async (
  handle: RequestListener,
  { host, port, tls }: ListenOptions,
  replyTo: ProtocolReply,
): Promise<Listener> => {
  const connections = new Connections(handle, (response, error) => answerProtocolError(response, replyTo(error)));
  const { add, serve, scheduler } = connections;
  const { server, certify } = await createServerFor(tls, serve);
  limitConnections(server);
  // Node.js drops further headers. One more than is allowed, so that `Connections` refuses the request.
  server.maxHeadersCount = maxHeaders + 1;
  // The reader of the body sends 100 Continue (RFC 9110, section 10.1.1). The client may send the body although it was
  // refused, so no further request is served on this connection.
  server.on('checkContinue', (request, response) => {
    response.setHeader('Connection', 'close');
    serve(request, response);
  });
  // Other expectations are ignored.
  server.on('checkExpectation', serve);
  answerProtocolErrors(server, connections, replyTo);
  server.on('connection', scheduler.onConnection);
  server.on(tls === null ? 'connection' : 'secureConnection', add);
  const handshakes = tls === null ? null : new TlsHandshakes(server);
  return new Promise((resolve, reject) => {
    // Not once: after the start an error concerns one connection that could not be accepted, for example because the
    // process has no file descriptor left, and without a listener it would end the process.
    server.on('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new TypeError('not a TCP port'));
      const stallCheck = new StallDetector().watch(connections);
      server.once('close', () => clearInterval(stallCheck));
      const url = urlOf(address, tls === null ? 'http' : 'https');
      resolve({
        url,
        replace: (next, certificate) => {
          if (certificate !== null) certify?.(certificate);
          scheduler.handle = next;
        },
        stop: (timeoutMs) => stopGracefully(server, connections, handshakes, timeoutMs),
      });
    });
  });
};
