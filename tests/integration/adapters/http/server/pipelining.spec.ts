import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { protocolReply } from '../../../../../adapters/http/api/refusal.ts';
import { type Listener, listen } from '../../../../../adapters/http/server/listener.ts';
import { maxWaitingRequests } from '../../../../../adapters/http/server/pipelining.ts';
import { writeBody } from '../../../../../adapters/http/server/response.ts';
import { type Certificate, certificateFor } from '../../../../support/mail-server.ts';

const requestTo = (path: string, padding = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${padding === '' ? '' : `X-Padding: ${padding}\r\n`}\r\n`;

/** Collects the bodies of the responses on a connection. */
class Responses {
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

/** A listener, and connections to it. */
class TestListener {
  private readonly sockets: Socket[] = [];

  private constructor(
    private readonly listener: Listener,
    private readonly certificate: Certificate | undefined,
  ) {}

  /** Starts a listener for HTTPS with a certificate, for HTTP without. */
  static async start(handle: RequestListener, certificate: Certificate | undefined): Promise<TestListener> {
    const options = { host: '127.0.0.1', port: 0, tls: certificate ?? null };
    return new TestListener(await listen(handle, options, protocolReply), certificate);
  }

  async open(): Promise<Socket> {
    const port = Number(new URL(this.listener.url).port);
    const socket =
      this.certificate === undefined
        ? connect(port, '127.0.0.1')
        : connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: this.certificate.cert });
    this.sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, this.certificate === undefined ? 'connect' : 'secureConnect');
    return socket;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await this.listener.stop(0);
  }
}

const respond = (response: ServerResponse, body: string): void => {
  response.writeHead(200, { 'Content-Length': body.length }).end(body);
};

let certificate: Certificate;
before(async () => {
  certificate = await certificateFor('localhost');
});
after(() => certificate.remove());

for (const protocol of ['HTTP', 'HTTPS']) {
  describe(`a listener for ${protocol} with a client that does not wait for responses`, () => {
    let listener: TestListener;
    const start = async (handle: RequestListener): Promise<void> => {
      listener = await TestListener.start(handle, protocol === 'HTTPS' ? certificate : undefined);
    };
    const open = (): Promise<Socket> => listener.open();
    afterEach(() => listener.stop());

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
        setTimeout(() => respond(response, request.url ?? ''), Math.random() * 5);
      });
      const socket = await open();
      const responses = new Responses(socket);
      const paths = Array.from({ length: 100 }, (_, index) => `/${index}`);
      socket.write(paths.map((path) => requestTo(path)).join(''));
      while (responses.bodies.length < paths.length) await once(socket, 'data');
      expect(responses.bodies).to.deep.equal(paths);
      expect(most).to.equal(4);
    });

    it('reads nothing more from the connection while requests wait', async () => {
      const held: (() => void)[] = [];
      let received: Socket | undefined;
      await start((request, response) => {
        if (request.url === '/other') return respond(response, 'other');
        received = request.socket;
        held.push(() => respond(response, request.url ?? ''));
      });
      const socket = await open();
      const responses = new Responses(socket);
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
      while (responses.bodies.length < paths.length) {
        for (const act of held.splice(0)) act();
        await serveOthers(1);
      }
      expect(responses.bodies).to.deep.equal(paths);
    });

    it('keeps serving other clients, and closes connections when too many requests wait', async () => {
      await start((request, response) => {
        if (request.url === '/other') respond(response, 'other');
      });
      const greedy = await Promise.all(Array.from({ length: 25 }, open));
      let closed = 0;
      for (const socket of greedy) {
        socket.resume().once('close', () => {
          closed += 1;
        });
        // A connection that is closed with unread requests is reset.
        socket.on('error', () => undefined);
        socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat((2 * maxWaitingRequests) / 20));
      }
      while (closed === 0) await serveOthers(1);
      await serveOthers();
      expect(closed).to.be.lessThan(greedy.length);
    });

    it('responds to malformed requests in order, too', async () => {
      await start((request, response) => {
        setTimeout(() => respond(response, request.url ?? ''), 5);
      });
      for (const count of [1, 10]) {
        const socket = await open();
        const responses = new Responses(socket);
        socket.write(`${requestTo('/').repeat(count)}no request\r\n\r\n`);
        await once(socket, 'close');
        expect(responses.bodies).to.deep.equal([...Array<string>(count).fill('/'), '400']);
      }
    });

    it('closes the connection after a CONNECT behind a large response that is being sent', async () => {
      const body = Buffer.alloc(16 * 1024 * 1024);
      await start((_, response) => writeBody(response.writeHead(200, { 'Content-Length': body.length }), body));
      const socket = await open();
      socket.write(`${requestTo('/')}CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      socket.resume();
      await once(socket, 'close');
    });
  });
}

describe('a listener that reads nothing from a connection for longer than its timeouts', () => {
  it('does not time out requests that it has not read, but times out an incomplete one afterwards', async function () {
    this.timeout(40_000);
    // More than one read of 64 KiB, which ends in the middle of a request.
    const count = 2_000;
    const bodiesFrom = async (listener: TestListener): Promise<readonly string[]> => {
      const socket = await listener.open();
      const responses = new Responses(socket);
      socket.write(`${requestTo('/').repeat(count)}GET / HTTP/1.1\r\n`);
      await once(socket, 'close');
      return responses.bodies;
    };
    // The responses to the first read take longer than the timeout for headers.
    const start = (tls?: Certificate) =>
      TestListener.start((_, response) => setTimeout(() => respond(response, 'x'), 14), tls);
    const listeners = [await start(), await start(certificate)];
    try {
      for (const bodies of await Promise.all(listeners.map(bodiesFrom))) {
        expect(bodies.filter((body) => body === 'x')).to.have.lengthOf(count);
        expect(bodies.slice(count)).to.deep.equal(['408']);
      }
    } finally {
      await Promise.all(listeners.map((listener) => listener.stop()));
    }
  });
});
