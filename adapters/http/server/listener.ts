import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connections } from './connections.ts';
import { stopGracefully } from './graceful-stop.ts';
import { answerMalformed, answerProtocolErrors } from './protocol-errors.ts';
import { stallCheckIntervalMs } from './stall-detector.ts';

/** Limits for slow or faulty clients, in milliseconds and bytes. */
const limits = {
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
  // `isUnambiguous` checks the header instead, so that the response is a problem document.
  requireHostHeader: false,
};

/** A certificate chain and its private key, both in PEM form. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface ListenOptions {
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
  /**
   * Stops accepting connections, lets accepted requests finish for at most `timeoutMs` milliseconds, then closes what is
   * left. Resolves when the last connection is closed.
   */
  stop(timeoutMs: number): Promise<void>;
}

/**
 * The path and query of a request target, or undefined when it has none (RFC 9112, section 3.2). The host of an absolute
 * target replaces the Host header.
 */
const pathOf = ({ url = '', method, headers }: IncomingMessage): string | undefined => {
  if (url.startsWith('/')) return url;
  if (url === '*') return method === 'OPTIONS' ? '/' : undefined;
  const absolute = URL.canParse(url) ? new URL(url) : undefined;
  if (absolute?.protocol !== 'http:' && absolute?.protocol !== 'https:') return undefined;
  headers.host = absolute.host;
  return absolute.pathname + absolute.search;
};

/**
 * Whether Host is sent once, or not at all by HTTP/1.0 (RFC 9112, section 3.2), and Authorization and Content-Type at
 * most once. Node.js would silently take the first of several.
 */
const isUnambiguous = ({ rawHeaders, httpVersion }: IncomingMessage): boolean => {
  let hosts = 0;
  let credentials = 0;
  let types = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    // The length rules out most headers without making a lower-case copy.
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') credentials++;
    else if (name.length === 12 && name.toLowerCase() === 'content-type') types++;
  }
  return (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) && credentials <= 1 && types <= 1;
};

/** Refuses requests with a malformed target or ambiguous headers before the application sees them. */
const checked =
  (handle: RequestListener): RequestListener =>
  (request, response) => {
    const path = pathOf(request);
    if (path === undefined || !isUnambiguous(request)) return answerMalformed(response);
    request.url = path;
    handle(request, response);
  };

const urlOf = ({ address, family, port }: AddressInfo, protocol: string): string => {
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `${protocol}://${host}:${port}`;
};

const createServerFor = async (tls: Certificate | null, serve: RequestListener): Promise<Server> => {
  if (tls === null) return createServer(limits, serve);
  const https = await import('node:https');
  return https.createServer({ ...limits, ...tls, handshakeTimeout: limits.headersTimeout }, serve);
};

/** Listens. Rejects with the error of the system if the port is not available. */
export const listen = async (handle: RequestListener, { host, port, tls }: ListenOptions): Promise<Listener> => {
  const connections = new Connections(checked(handle));
  const serve: RequestListener = (request, response) => connections.serve(request, response);
  const server = await createServerFor(tls, serve);
  // By default Node.js drops all headers after the first 1,000. `maxHeaderSize` bounds them instead.
  server.maxHeadersCount = 0;
  // The reader of the body sends 100 Continue (RFC 9110, section 10.1.1). The client may send the body although it was
  // refused, so no further request is served on this connection.
  server.on('checkContinue', (request, response) => {
    response.setHeader('Connection', 'close');
    serve(request, response);
  });
  // Other expectations are ignored.
  server.on('checkExpectation', serve);
  answerProtocolErrors(server, connections);
  server.on(tls === null ? 'connection' : 'secureConnection', (socket) => connections.add(socket));
  if (tls !== null) server.on('connection', (socket) => connections.addHandshake(socket));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new TypeError('not a TCP port'));
      const stallCheck = setInterval(() => connections.destroyStalled(), stallCheckIntervalMs).unref();
      server.once('close', () => clearInterval(stallCheck));
      const url = urlOf(address, tls === null ? 'http' : 'https');
      resolve({ url, stop: (timeoutMs) => stopGracefully(server, connections, timeoutMs) });
    });
  });
};
