import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ProblemCode, problemDocument, problems, refusal } from '../api/problems.ts';
import type { Connections } from './connections.ts';
import type { Handler } from './pipelining.ts';

const answerOf = (code: ProblemCode) => {
  const body = problemDocument(refusal(code));
  const headers = {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  return { status: problems[code].status, headers, body };
};

const end = (socket: Duplex, code: ProblemCode): void => {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = answerOf(code);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
};

const codeOf = (error: NodeJS.ErrnoException): ProblemCode => {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'malformed_request';
};

/**
 * What Node.js keeps from the application gets the same problem documents as the rest: what its parser refuses, and
 * CONNECT. It is answered when the requests before it on the connection are.
 */
export const answerUnserved = (server: Server, connections: Connections): void => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Whoever failed to agree on TLS can't read an answer either.
    const unreadable = error.code === 'ECONNRESET' || /^ERR_(?:SSL|TLS)/.test(error.code ?? '');
    const answer = () => end(socket, codeOf(error));
    if (unreadable) socket.destroy();
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') connections.endLate(socket, answer, server.headersTimeout);
    else connections.endAfterAnswers(socket, answer);
  });
  server.on('connect', (_, socket) => connections.endAfterAnswers(socket, () => end(socket, 'malformed_request')));
};

/**
 * The path and query of a request target, or undefined when there is none in it (RFC 9112, section 3.2). The host of an
 * absolute target takes the place of the Host header.
 */
const pathOf = ({ url = '', method, headers }: IncomingMessage): string | undefined => {
  if (url.startsWith('/')) return url;
  if (url === '*') return method === 'OPTIONS' ? '/' : undefined;
  // The absolute form, which proxies send.
  const absolute = URL.canParse(url) ? new URL(url) : undefined;
  if (absolute?.protocol !== 'http:' && absolute?.protocol !== 'https:') return undefined;
  headers.host = absolute.host;
  return absolute.pathname + absolute.search;
};

/** Headers of which Node.js would silently take the first, by their lengths. */
const singletons: ReadonlyMap<number, string> = new Map(
  ['host', 'authorization', 'content-type'].map((name) => [name.length, name]),
);

/**
 * Whether no header is repeated that means one thing only, and the host is named as it must be: once, except that
 * HTTP/1.0 may leave it out (RFC 9112, section 3.2).
 */
const isUnambiguous = ({ rawHeaders, httpVersion }: IncomingMessage): boolean => {
  let hosts = 0;
  let credentials = 0;
  let types = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    // Most headers are ruled out by their length.
    const single = singletons.get(name.length);
    if (single === undefined || name.toLowerCase() !== single) continue;
    if (single === 'host') hosts++;
    else if (single === 'authorization') credentials++;
    else types++;
  }
  return (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) && credentials <= 1 && types <= 1;
};

/** Keeps from the application what its parts would throw on outside every middleware, or take for what it is not. */
export const guarded =
  (handle: Handler): Handler =>
  (request, response) => {
    const path = pathOf(request);
    if (path === undefined || !isUnambiguous(request)) {
      const { status, headers, body } = answerOf('malformed_request');
      response.writeHead(status, headers).end(body);
      return;
    }
    request.url = path;
    handle(request, response);
  };
