import { connect } from 'node:net';
import { ApiResponse } from './api-response.ts';

const timeoutMs = 3_000;

/**
 * Writes bytes (strings as Latin-1) to a port. Resolves with everything received until the connection is closed.
 * The last request should have `Connection: close`.
 */
export const exchange = (url: string, ...bytes: readonly (string | Uint8Array)[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const received: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => {
      for (const part of bytes) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
    });
    const done = (): void => resolve(Buffer.concat(received).toString());
    socket.setTimeout(timeoutMs, () => {
      socket.destroy();
      reject(new Error(`the connection stayed open after: ${Buffer.concat(received).toString()}`));
    });
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('end', done);
    // A server that did not read everything resets the connection after the response.
    socket.on('error', (error) => (received.length > 0 ? done() : reject(error)));
  });

/** The text of a request: the request line, headers and body. */
export const requestText = (lines: readonly string[], body = ''): string =>
  `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`;

const headEnd = '\r\n\r\n';

/** Parses responses, each with a Content-Length or without a body. Cannot parse responses to HEAD. */
export const responsesIn = (received: string): readonly ApiResponse[] => {
  const responses: ApiResponse[] = [];
  let rest = Buffer.from(received);
  while (rest.length > 0) {
    const end = rest.indexOf(headEnd);
    if (end === -1) throw new Error(`not a response: ${rest.toString()}`);
    const [statusLine = '', ...fields] = rest.subarray(0, end).toString().split('\r\n');
    const headers = new Headers(
      fields.map((field): [string, string] => [
        field.slice(0, field.indexOf(':')),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    );
    const start = end + headEnd.length;
    const length = Number(headers.get('content-length') ?? 0);
    responses.push(
      new ApiResponse(Number(statusLine.split(' ')[1]), headers, rest.subarray(start, start + length).toString()),
    );
    rest = rest.subarray(start + length);
  }
  return responses;
};
