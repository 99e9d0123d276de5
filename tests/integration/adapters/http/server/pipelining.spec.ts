import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { type Listener, listen } from '../../../../../adapters/http/server/listener.ts';
import { maxWaitingRequests } from '../../../../../adapters/http/server/pipelining.ts';
import { type Certificate, certificateFor } from '../../../../support/mail-server.ts';

const requestTo = (path: string, padding = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${padding === '' ? '' : `X-Padding: ${padding}\r\n`}\r\n`;

/** Collects the bodies of the responses on a connection. */
class Answers {
  readonly bodies: string[] = [];
  private text = '';

  constructor(socket: Socket) {
    socket.on('data', (data) => {
      this.text += data;
      for (let next = this.take(); next !== undefined; next = this.take()) this.bodies.push(next);
    });
  }

  private take(): string | undefined {
    const found = /^HTTP\/1\.1 (\d{3})(?:.*\r\n)*?Content-Length: (\d+)\r\n(?:.+\r\n)*\r\n/i.exec(this.text);
    if (found === null) return undefined;
    const [head, status, length] = found;
    const end = head.length + Number(length);
    if (this.text.length < end) return undefined;
    const body = this.text.slice(head.length, end);
    this.text = this.text.slice(end);
    return status === '200' ? body : `${status}`;
  }
}

for (const protocol of ['HTTP', 'HTTPS']) {
  describe(`a listener for ${protocol} with a client that does not wait for responses`, () => {
    let certificate: Certificate | undefined;
    before(async () => {
      if (protocol === 'HTTPS') certificate = await certificateFor('localhost');
    });
    after(() => certificate?.remove());

    let listener: Listener;
    const sockets: Socket[] = [];
    const start = async (handle: RequestListener): Promise<void> => {
      listener = await listen(handle, { host: '127.0.0.1', port: 0, tls: certificate ?? null });
    };
    const open = async (): Promise<Socket> => {
      const port = Number(new URL(listener.url).port);
      const socket =
        certificate === undefined
          ? connect(port, '127.0.0.1')
          : connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: certificate.cert });
      sockets.push(socket);
      socket.on('error', () => {});
      await once(socket, certificate === undefined ? 'connect' : 'secureConnect');
      return socket;
    };
    afterEach(async () => {
      for (const socket of sockets.splice(0)) socket.destroy();
      await listener.stop(0);
    });

    const answer = (response: ServerResponse, body: string): void => {
      response.writeHead(200, { 'Content-Length': body.length }).end(body);
    };

    /** Sends requests on another connection, so that the service has time for everything that it can do. */
    const serveOthers = async (times = 50): Promise<void> => {
      const socket = await open();
      for (let time = 0; time < times; time++) {
        socket.write(requestTo('/other'));
        await once(socket, 'data');
      }
    };

    it('serves four requests at a time, and all of them in order', async () => {
      let [served, most] = [0, 0];
      await start((request, response) => {
        served += 1;
        most = Math.max(most, served);
        response.once('close', () => {
          served -= 1;
        });
        setTimeout(() => answer(response, request.url ?? ''), Math.random() * 5);
      });
      const socket = await open();
      const answers = new Answers(socket);
      const paths = Array.from({ length: 100 }, (_, index) => `/${index}`);
      socket.write(paths.map((path) => requestTo(path)).join(''));
      while (answers.bodies.length < paths.length) await once(socket, 'data');
      expect(answers.bodies).to.deep.equal(paths);
      expect(most).to.equal(4);
    });

    it('does not time out a request while it reads nothing itself, but times out an incomplete one afterwards', async function () {
      this.timeout(40_000);
      // All of this takes longer than the timeout for headers, which end in the middle of a read.
      await start((_, response) => setTimeout(() => answer(response, 'x'), 14));
      const socket = await open();
      const answers = new Answers(socket);
      const count = 2_300;
      socket.write(`${requestTo('/').repeat(count)}GET / HTTP/1.1\r\n`);
      await once(socket, 'close');
      expect(answers.bodies.filter((body) => body === 'x')).to.have.lengthOf(count);
      expect(answers.bodies.slice(count)).to.deep.equal(['408']);
    });

    it('reads nothing more from the connection while requests wait', async () => {
      const held: (() => void)[] = [];
      let received: Socket | undefined;
      await start((request, response) => {
        if (request.url === '/other') return answer(response, 'other');
        received = request.socket;
        held.push(() => answer(response, request.url ?? ''));
      });
      const socket = await open();
      const answers = new Answers(socket);
      const paths = Array.from({ length: 400 }, (_, index) => `/${index}`);
      const padding = 'x'.repeat(10_000);
      socket.write(paths.map((path) => requestTo(path, padding)).join(''));
      await serveOthers();
      expect(held).to.have.lengthOf(4);
      expect(received?.bytesRead).to.be.lessThan(200_000);
      // Each response makes room for one more request. The connection is read again when none waits.
      held.shift()?.();
      await serveOthers();
      expect(held).to.have.lengthOf(4);
      expect(received?.bytesRead).to.be.lessThan(200_000);
      while (answers.bodies.length < paths.length) {
        for (const act of held.splice(0)) act();
        await serveOthers(1);
      }
      expect(answers.bodies).to.deep.equal(paths);
    });

    it('keeps serving other clients, and closes connections when too many requests wait', async () => {
      await start((request, response) => {
        if (request.url === '/other') answer(response, 'other');
      });
      const greedy = await Promise.all(Array.from({ length: 25 }, open));
      let closed = 0;
      for (const socket of greedy) {
        socket.resume().once('close', () => {
          closed += 1;
        });
        socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat((2 * maxWaitingRequests) / 20));
      }
      while (closed === 0) await serveOthers(1);
      await serveOthers();
      expect(closed).to.be.lessThan(greedy.length);
    });

    it('answers malformed requests in order, too', async () => {
      await start((request, response) => {
        setTimeout(() => answer(response, request.url ?? ''), 5);
      });
      for (const count of [1, 10]) {
        const socket = await open();
        const answers = new Answers(socket);
        socket.write(`${requestTo('/').repeat(count)}no request\r\n\r\n`);
        await once(socket, 'close');
        expect(answers.bodies).to.deep.equal([...Array<string>(count).fill('/'), '400']);
      }
    });
  });
}
