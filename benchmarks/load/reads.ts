import { connect } from 'node:net';

const headEnd = '\r\n\r\n';

/** The length of the first response in a text; undefined if it is not complete. Throws unless its status is 200. */
const responseLength = (text: string): number | undefined => {
  const end = text.indexOf(headEnd);
  if (end === -1) return undefined;
  if (!text.startsWith('HTTP/1.1 200 ')) throw new Error(`a read returned ${text.slice(0, 100)}`);
  const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(0, end + 2)) ?? [];
  const total = end + headEnd.length + Number(length);
  return text.length < total ? undefined : total;
};

/** Sends requests on one connection, each after the response to the previous one; `next` returns undefined at the end. */
const connection = (port: number, next: () => Buffer | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const send = (): void => {
      const request = next();
      if (request === undefined) socket.end(resolve);
      else socket.write(request);
    };
    let received = '';
    socket.setEncoding('latin1');
    socket.on('connect', send);
    socket.on('data', (chunk) => {
      received += chunk;
      try {
        const length = responseLength(received);
        if (length === undefined) return;
        received = received.slice(length);
        send();
      } catch (error) {
        socket.destroy();
        reject(error);
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
  });

/**
 * Sends an exact number of reads on some connections, as cheap for this process as it can be, so that the server has as
 * many waiting as with wrk. Rejects if one fails.
 */
export const sendReads = async (
  url: string,
  paths: readonly string[],
  headers: Readonly<Record<string, string>>,
  { count, connections }: { readonly count: number; readonly connections: number },
): Promise<void> => {
  const { host, port } = new URL(url);
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  const requests = paths.map((path) => Buffer.from([`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')));
  let sent = 0;
  const next = (): Buffer | undefined => (sent < count ? requests[sent++ % requests.length] : undefined);
  await Promise.all(Array.from({ length: connections }, () => connection(Number(port), next)));
};
