import { connect } from 'node:net';
import { Answer } from './answer.ts';

const patience = 3_000;

/**
 * Writes bytes (text stands for Latin-1) to a port and returns all that comes back, until the other side closes.
 * Requests that shall end the connection say so with `Connection: close`.
 */
export const exchange = (url: string, ...bytes: readonly (string | Uint8Array)[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const received: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => {
      for (const part of bytes) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
    });
    const done = (): void => resolve(Buffer.concat(received).toString());
    socket.setTimeout(patience, () => {
      socket.destroy();
      reject(new Error(`the connection stayed open after: ${Buffer.concat(received).toString()}`));
    });
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('end', done);
    // A reset after the answer is how a server ends what it didn't read.
    socket.on('error', (error) => (received.length > 0 ? done() : reject(error)));
  });

/** A request as it goes over the wire; every line but the first is a header. */
export const requestText = (lines: readonly string[], body = ''): string =>
  `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`;

const headEnd = '\r\n\r\n';

/** The answers in what came back; those to HEAD must not be among them. Each has a Content-Length, or no body. */
export const answersIn = (received: string): readonly Answer[] => {
  const answers: Answer[] = [];
  let rest = Buffer.from(received);
  while (rest.length > 0) {
    const end = rest.indexOf(headEnd);
    if (end === -1) throw new Error(`not an answer: ${rest.toString()}`);
    const [statusLine = '', ...fields] = rest.subarray(0, end).toString().split('\r\n');
    const headers = new Headers(
      fields.map((field): [string, string] => [
        field.slice(0, field.indexOf(':')),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    );
    const start = end + headEnd.length;
    const length = Number(headers.get('content-length') ?? 0);
    answers.push(
      new Answer(Number(statusLine.split(' ')[1]), headers, rest.subarray(start, start + length).toString()),
    );
    rest = rest.subarray(start + length);
  }
  return answers;
};
