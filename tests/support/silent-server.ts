import { createServer, type Socket } from 'node:net';

/** A TCP server of a test. */
export interface TestServer {
  readonly port: number;
  /** When each connection came, in milliseconds of `performance.now()`. */
  readonly connections: readonly number[];
  close(): Promise<void>;
}

/** Listens on this computer, on a free port unless one is given, and hands each connection to `meet`. */
export const listenAt = async (meet: (socket: Socket) => void, at = 0): Promise<TestServer> => {
  const connections: number[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections.push(performance.now());
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    meet(socket);
  });
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a server on TCP has a port');
  return {
    port: address.port,
    connections,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};

/** Takes every connection and never says a word. */
export const silentServer = (): Promise<TestServer> => listenAt((socket) => socket.resume());

/** Ends every connection without an answer, once it was asked for something. */
export const breakingServer = (): Promise<TestServer> =>
  listenAt((socket) => socket.once('data', () => socket.resetAndDestroy()));

/** Answers every HTTP request alike; `headers` are whole lines. */
export const answeringServer = (status: number, body: string, headers = '', at = 0): Promise<TestServer> =>
  listenAt(
    (socket) =>
      socket.once('data', () =>
        socket.end(`HTTP/1.1 ${status} x\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`),
      ),
    at,
  );

/** A port of this computer on which nothing listens, as it was a moment ago. */
export const closedPort = async (): Promise<number> => {
  const server = await silentServer();
  await server.close();
  return server.port;
};
