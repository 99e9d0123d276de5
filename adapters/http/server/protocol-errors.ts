import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Connections, isPending, type ProtocolError } from './connections.ts';
import type { Reply } from './response.ts';

/** How requests are answered that never reach the application. */
export type ProtocolReply = (error: ProtocolError) => Reply;

/** The headers of a reply after which the connection is closed. */
const lastHeaders = ({ headers, body }: Reply) => ({
  ...headers,
  'Content-Length': Buffer.byteLength(body),
  Connection: 'close',
});

/** Answers a request that is not served, and closes its connection. */
export const answerProtocolError = (response: ServerResponse, reply: Reply): void => {
  response.writeHead(reply.status, lastHeaders(reply)).end(reply.body);
};

/** A response of this size is sent at once, unless the client reads nothing or is gone, which TLS does not always report. */
const sendTimeoutMs = 5_000;

/** Sends a reply without a request, and closes the connection. */
const endWith = (socket: Duplex, reply: Reply): void => {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = reply;
  const lines = Object.entries(lastHeaders(reply)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
  const timeout = setTimeout(() => socket.destroy(), sendTimeoutMs).unref();
  socket.once('close', () => clearTimeout(timeout));
};

const codeOf = (error: NodeJS.ErrnoException): ProtocolError => {
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
 * Answers the requests that Node.js does not pass to the application: malformed ones, late ones and CONNECT.
 */
export const answerProtocolErrors = (server: Server, connections: Connections, replyTo: ProtocolReply): void => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A client whose TLS handshake failed cannot read a response.
    const isUnreachable = error.code === 'ECONNRESET' || /^ERR_(?:SSL|TLS)/.test(error.code ?? '');
    const end = () => endWith(socket, replyTo(codeOf(error)));
    if (isUnreachable) socket.destroy();
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') endLate(connections, socket, end, server.headersTimeout);
    else endAfterResponses(connections, socket, end);
  });
  server.on('connect', (_, socket) => {
    // Node.js has taken its listeners off the socket, so that a response that is not sent yet might never be completed.
    if (isPending(connections.find(socket)?.latest)) socket.destroy();
    else endWith(socket, replyTo('malformed_request'));
  });
};
