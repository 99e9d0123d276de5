import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { protocolReply } from '../../../../../adapters/http/api/refusal.ts';
import { Connections } from '../../../../../adapters/http/server/connections.ts';
import { answerProtocolError } from '../../../../../adapters/http/server/protocol-errors.ts';
import { writeBody } from '../../../../../adapters/http/server/response.ts';
import { StallDetector } from '../../../../../adapters/http/server/stall-detector.ts';
import { type Certificate, certificateFor } from '../../../../support/mail-server.ts';

/** Larger than the buffers of a connection. */
const body = Buffer.alloc(64 * 1024 * 1024);

/** Reads a number of bytes from a connection, then stops reading. */
const take = (socket: Socket, bytes: number): Promise<void> =>
  new Promise((resolve) => {
    let taken = 0;
    const count = (data: Buffer): void => {
      taken += data.length;
      if (taken < bytes) return;
      socket.off('data', count).pause();
      resolve();
    };
    socket.on('data', count).resume();
  });

for (const protocol of ['HTTP', 'HTTPS']) {
  describe(`connections over ${protocol} with unsent bytes`, () => {
    let certificate: Certificate | undefined;
    before(async () => {
      if (protocol === 'HTTPS') certificate = await certificateFor('localhost');
    });
    after(() => certificate?.remove());

    let connections: Connections;
    let stalls: StallDetector;
    let server: Server;
    let port = 0;
    const received = new Map<string, Socket>();
    const sockets: Socket[] = [];
    beforeEach(async () => {
      connections = new Connections(
        ({ url = '', socket }, response) => {
          received.set(url, socket);
          if (url !== '/later') writeBody(response.writeHead(200, { 'Content-Length': body.length }), body);
        },
        (response, error) => answerProtocolError(response, protocolReply(error)),
      );
      stalls = new StallDetector();
      const { add, serve } = connections;
      server = certificate === undefined ? createServer(serve) : createTlsServer(certificate, serve);
      server.on(certificate === undefined ? 'connection' : 'secureConnection', add);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    });
    afterEach(() => {
      for (const socket of sockets.splice(0)) socket.destroy();
      connections.destroy();
      server.close();
      received.clear();
    });

    const ask = async (path: string, more = ''): Promise<Socket> => {
      const socket =
        certificate === undefined
          ? connect(port, '127.0.0.1')
          : connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: certificate.cert });
      sockets.push(socket);
      socket.pause().on('error', () => {});
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n${more}`);
      while (!received.has(path)) await once(server, 'request');
      return socket;
    };
    /** Whether the service has closed the connection of a request. */
    const isClosed = (path: string): boolean => received.get(path)?.destroyed === true;
    /** Resolves when all buffers on the way to the client are full. */
    const untilFull = async (path: string): Promise<void> => {
      for (let before = -1, written = 0; before !== written; ) {
        before = written;
        await new Promise((resolve) => setTimeout(resolve, 50));
        written = received.get(path)?.bytesWritten ?? 0;
      }
    };
    /** Runs the checks of a number of seconds. */
    const check = (seconds: number): void => {
      for (let passed = 0; passed < seconds; passed += 5) stalls.check(connections.all());
    };

    it('are destroyed when the client reads nothing for 30 seconds, even if it sends something', async () => {
      const [silent, talking] = [
        await ask('/silent'),
        await ask('/talking', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n'),
      ];
      for (const socket of [silent, talking]) await take(socket, 1024);
      for (const path of ['/silent', '/talking']) await untilFull(path);
      check(5);
      talking.write('x');
      check(25);
      expect([isClosed('/silent'), isClosed('/talking')]).to.deep.equal([false, false]);
      check(5);
      expect([isClosed('/silent'), isClosed('/talking')]).to.deep.equal([true, true]);
    });

    it('stay open while the client reads a little now and then', async () => {
      const slow = await ask('/slow');
      for (let minute = 0; minute < 10; minute++) {
        check(25);
        await take(slow, 4 * 1024 * 1024);
        expect(isClosed('/slow')).to.equal(false);
      }
    });

    it('stay open while the client waits for a response', async () => {
      await ask('/later');
      check(60);
      expect(isClosed('/later')).to.equal(false);
    });
  });
}
