import { randomInt } from 'node:crypto';
import { createServer, type Socket } from 'node:net';

/** A TCP server for a test. */
export interface TestServer {
  readonly port: number;
  /** The time of each connection, from `performance.now()`. */
  readonly connections: readonly number[];
  close(): Promise<void>;
}

/** Listens on 127.0.0.1, by default on a free port, and passes each connection to `onConnection`. */
export const startTcpServer = async (onConnection: (socket: Socket) => void, at = 0): Promise<TestServer> => {
  const connections: number[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections.push(performance.now());
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server has a port');
  return {
    port: address.port,
    connections,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};

/** Accepts connections, and never sends anything. */
export const silentServer = (): Promise<TestServer> => startTcpServer((socket) => socket.resume());

/** Resets every connection when it receives data. */
export const resettingServer = (): Promise<TestServer> =>
  startTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));

/** Sends the same response to every HTTP request. `headers` are lines that end with CRLF. */
export const answeringServer = (status: number, body: string, headers = '', at = 0): Promise<TestServer> =>
  startTcpServer(
    (socket) =>
      socket.once('data', () =>
        socket.end(`HTTP/1.1 ${status} x\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`),
      ),
    at,
  );

/**
 * A local port that nothing listens on. It is below those that systems choose for servers and connections, so that no other
 * test gets it meanwhile.
 */
export const closedPort = async (): Promise<number> => {
  const server = createServer();
  const port = randomInt(20_000, 32_000);
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!isFree) return closedPort();
  await new Promise((resolve) => server.close(resolve));
  return port;
};
