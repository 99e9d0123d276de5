import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { limitChunks } from './body-reader.ts';
import { PipelinedRequests } from './pipelining.ts';
import { RequestScheduler } from './request-scheduler.ts';

/** An open connection. */
export interface Connection {
  readonly socket: Socket;
  /** The response to the latest request. Responses are sent in the order of the requests, so this is the last one. */
  latest: ServerResponse | undefined;
  /** Set once the client has sent a request before the previous response was complete. */
  pipelined: PipelinedRequests | undefined;
  /** Whether no further request is served on it. */
  isEnding: boolean;
}

/** Decides whether to serve a request while the service stops. */
type Admission = (connection: Connection, response: ServerResponse) => boolean;

/** Whether a response has not been sent completely. */
export const isPending = (response: ServerResponse | undefined): response is ServerResponse =>
  response !== undefined && !response.writableFinished;

/**
 * The path and query of a request target, or undefined when it has none (RFC 9112, section 3.2). The host of an absolute
 * target replaces the Host header.
 */
export const pathOf = ({ url = '', method, headers }: IncomingMessage): string | undefined => {
  // No client sends a fragment, and Koa reads such a target with `url.parse`, which throws for some.
  if (url.startsWith('/')) return url.includes('#') ? undefined : url;
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

/**
 * How many headers a request may have. Each takes some 80 bytes besides its text, so that thousands of short ones would
 * take far more memory than a client sends.
 */
export const maxHeaders = 200;

/** Why a request does not reach the application. */
export type ProtocolError =
  | 'malformed_request'
  | 'headers_too_large'
  | 'request_timeout'
  | 'unsupported_transfer_coding';

/** Node.js undoes `chunked` only, and refuses what does not end with it (RFC 9112, section 6.1). */
const hasUnknownCoding = ({ headers }: IncomingMessage): boolean =>
  (headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked';

const ignore = (): void => {};

/** The open connections of a server, and the requests that are being served on them. */
export class Connections {
  private readonly open = new Map<Duplex, Connection>();
  private readonly waitingRequests = { count: 0 };
  private admit: Admission = () => true;
  readonly scheduler: RequestScheduler;

  constructor(
    handle: RequestListener,
    /** Answers a request with a malformed target, or headers that are not served, which `handle` never gets. */
    private readonly refuse: (response: ServerResponse, error: ProtocolError) => void,
  ) {
    this.scheduler = new RequestScheduler(handle);
  }

  readonly add = (socket: Socket): void => {
    // Node.js caches the address when it is first read, and cannot determine it after the client has closed the
    // connection.
    void socket.remoteAddress;
    this.open.set(socket, { socket, latest: undefined, pipelined: undefined, isEnding: false });
    // For the whole life of the socket: Node.js removes its own listener before it passes on a CONNECT request, and an
    // error without a listener ends the process. The socket is destroyed after every error.
    socket.on('error', ignore);
    socket.once('close', () => this.open.delete(socket));
  };

  /** Serves a request: immediately, or queued if pipelined. */
  readonly serve: RequestListener = (request, response) => {
    const connection = this.open.get(request.socket);
    // Undefined when the connection is closed already.
    if (connection === undefined || connection.isEnding || !this.admit(connection, response)) return;
    limitChunks(request, response);
    const previous = connection.latest;
    connection.latest = response;
    if (isPending(previous)) {
      connection.pipelined ??= new PipelinedRequests(connection.socket, this.handleValid, this.waitingRequests);
      connection.pipelined.add(request, response, previous);
    } else this.handleValid(request, response);
  };

  find(socket: Duplex): Connection | undefined {
    return this.open.get(socket);
  }

  all(): Iterable<Connection> {
    return this.open.values();
  }

  /** From now on `admit` decides which requests are served. */
  admitBy(admit: Admission): void {
    this.admit = admit;
  }

  destroy(): void {
    for (const socket of this.open.keys()) socket.destroy();
  }

  private readonly handleValid: RequestListener = (request, response) => {
    // A list of names and values.
    if (request.rawHeaders.length > 2 * maxHeaders) return this.refuse(response, 'headers_too_large');
    const path = pathOf(request);
    if (path === undefined || !isUnambiguous(request)) return this.refuse(response, 'malformed_request');
    if (hasUnknownCoding(request)) return this.refuse(response, 'unsupported_transfer_coding');
    request.url = path;
    this.scheduler.start(request, response);
  };
}
