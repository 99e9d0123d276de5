import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type Router from '@koa/router';
import type { Middleware } from 'koa';
import { acceptPatch } from '../api/body-formats.ts';
import { type ProblemCode, problems } from '../api/problems.ts';
import { problemDocument, refusal, refuse } from '../api/refusal.ts';
import { type Connections, isPending, type ProtocolError } from './connections.ts';
import { send } from './response.ts';

const responseOf = (code: ProblemCode) => {
  const body = problemDocument(refusal(code));
  const headers = {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  return { status: problems[code].status, headers, body };
};

/** Answers a request that is not served, and closes its connection. */
export const answerProtocolError = (response: ServerResponse, code: ProtocolError): void => {
  const { status, headers, body } = responseOf(code);
  response.writeHead(status, headers).end(body);
};

/** A response of this size is sent at once, unless the client reads nothing or is gone, which TLS does not always report. */
const sendTimeoutMs = 5_000;

/** Sends a problem document without a request, and closes the connection. */
const endWith = (socket: Duplex, code: ProblemCode): void => {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = responseOf(code);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
  const timeout = setTimeout(() => socket.destroy(), sendTimeoutMs).unref();
  socket.once('close', () => clearTimeout(timeout));
};

const codeOf = (error: NodeJS.ErrnoException): ProblemCode => {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'malformed_request';
};

/** Calls `end` once all pending responses of a connection are sent, so that the client matches each to its request. */
const endAfterResponses = (connections: Connections, socket: Duplex, end: () => void): void => {
  const connection = connections.find(socket);
  const latest = connection?.latest;
  if (connection === undefined || !isPending(latest)) end();
  else if (latest.req.complete) {
    if (!connection.isEnding) latest.once('close', end);
    connection.isEnding = true;
  } else if (latest.socket === null) socket.destroy();
  // The body of the latest request is malformed or late, so that this is its response.
  else end();
};

/**
 * Ends a connection whose client takes too long to send a request. While earlier requests wait to be served, the
 * connection is not read, which delays the client; `timeoutMs` then starts when reading resumes.
 */
const endLate = (connections: Connections, socket: Duplex, end: () => void, timeoutMs: number): void => {
  const connection = connections.find(socket);
  if (connection?.pipelined?.isPaused !== true) {
    endAfterResponses(connections, socket, end);
    return;
  }
  connection.pipelined.onceResumed(() => {
    const { latest } = connection;
    const wasComplete = latest?.req.complete;
    setTimeout(() => {
      const hasProgress = connection.latest !== latest || latest?.req.complete !== wasComplete;
      if (!hasProgress && !connection.socket.destroyed) endAfterResponses(connections, socket, end);
    }, timeoutMs).unref();
  });
};

/**
 * Answers the requests that Node.js does not pass to the application (malformed ones, and CONNECT) with problem
 * documents, like any other refusal.
 */
export const answerProtocolErrors = (server: Server, connections: Connections): void => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A client whose TLS handshake failed cannot read a response.
    const isUnreachable = error.code === 'ECONNRESET' || /^ERR_(?:SSL|TLS)/.test(error.code ?? '');
    const end = () => endWith(socket, codeOf(error));
    if (isUnreachable) socket.destroy();
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') endLate(connections, socket, end, server.headersTimeout);
    else endAfterResponses(connections, socket, end);
  });
  server.on('connect', (_, socket) => {
    // Node.js has taken its listeners off the socket, so that a response that is not sent yet might never be completed.
    if (isPending(connections.find(socket)?.latest)) socket.destroy();
    else endWith(socket, 'malformed_request');
  });
};

/** Answers requests that match no route: 204 to OPTIONS, 405 for a known path, otherwise 404 (RFC 9110, sections 9.3.7 and 15.5.6). */
export const answerUnrouted = (router: Router): Middleware => {
  const methodsOf = (path: string): readonly string[] => [
    ...new Set(router.match(path, 'OPTIONS').path.flatMap((layer) => layer.methods)),
  ];
  return (ctx) => {
    const known = methodsOf(ctx.path);
    if (known.length === 0 || known.includes(ctx.method)) return refuse(ctx, refusal('route_not_found'));
    const headers = { Allow: [...known, 'OPTIONS'].join(', ') };
    if (ctx.method !== 'OPTIONS') return refuse(ctx, { code: 'method_not_allowed', headers });
    const ofPatch = known.includes('PATCH') ? acceptPatch : {};
    send(ctx, { status: 204, headers: { ...headers, ...ofPatch }, body: '' });
  };
};
