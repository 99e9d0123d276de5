import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { isLeft } from 'fp-ts/lib/Either.js';
import Koa from 'koa';
import { bodyReader } from '../../../../../adapters/http/server/body-reader.ts';
import { eventually } from '../../../../support/eventually.ts';

const maxBytes = 1024 * 1024;
const readJson = bodyReader({ maxBytes, allowsCompression: true });
const readForm = bodyReader({ maxBytes: 100, allowsCompression: false });

describe('bodyReader', () => {
  let server: Server;
  let port = 0;
  const sockets: Socket[] = [];

  before(async () => {
    const app = new Koa().on('error', () => {});
    app.use(async (ctx) => {
      const bytes = await (ctx.path === '/form' ? readForm : readJson)(ctx);
      ctx.body = isLeft(bytes) ? bytes.left : `${bytes.right.length} bytes`;
    });
    server = createServer(app.callback());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(() => server.close());

  const post = (bytes: Buffer | string, encoding = 'identity', path = '/'): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { 'Content-Encoding': encoding, 'Content-Length': Buffer.byteLength(bytes) };
      const sent = request({ port, host: '127.0.0.1', path, method: 'POST', headers, agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      });
      sent.on('error', reject).end(bytes);
    });

  /** Starts a body of one MiB, and sends a part of it. Resolves with what was received so far. */
  const sendPart = (parts: readonly (Buffer | string)[], headers: string): { received: string } => {
    const outcome = { received: '' };
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n`);
      for (const part of parts) socket.write(part);
    });
    socket.on('data', (chunk) => {
      outcome.received += chunk;
    });
    socket.on('error', () => {});
    sockets.push(socket);
    return outcome;
  };

  const zeros = Buffer.alloc(maxBytes);

  it('reads every encoding, in any case', async () => {
    const encoded = {
      identity: zeros,
      gzip: gzipSync(zeros),
      deflate: deflateSync(zeros),
      br: brotliCompressSync(zeros),
    };
    for (const [encoding, bytes] of Object.entries(encoded)) {
      expect(await post(bytes, encoding), encoding).to.equal(`${maxBytes} bytes`);
      expect(await post(bytes, encoding.toUpperCase()), encoding).to.equal(`${maxBytes} bytes`);
    }
    expect(await post('x', 'zstd')).to.equal('unsupported_encoding');
    expect(await post('x', 'gzip, br')).to.equal('unsupported_encoding');
  });

  it('refuses a body over the limit, before and after decompression', async () => {
    const long = Buffer.alloc(maxBytes + 1);
    expect(await post(long)).to.equal('body_too_large');
    expect(await post(gzipSync(long), 'gzip')).to.equal('body_too_large');
    expect(await post(deflateSync(long), 'deflate')).to.equal('body_too_large');
    expect(await post(brotliCompressSync(long), 'br')).to.equal('body_too_large');
    expect(await post('x'.repeat(101), 'identity', '/form')).to.equal('body_too_large');
  });

  it('refuses a compressed body where none is expected', async () => {
    expect(await post(gzipSync('a=b'), 'gzip', '/form')).to.equal('unsupported_encoding');
    expect(await post('a=b', 'identity', '/form')).to.equal('3 bytes');
  });

  it('survives damage at every position, also after the limit', async () => {
    // Stored blocks, so that damage at a position is met at that position of the output.
    const encoded = {
      gzip: gzipSync(Buffer.alloc(maxBytes + 300_000), { level: 0 }),
      deflate: deflateSync(Buffer.alloc(maxBytes + 300_000), { level: 0 }),
    };
    for (const [encoding, bytes] of Object.entries(encoded)) {
      for (let position = maxBytes - 100_000; position < maxBytes + 200_000; position += 20_000) {
        const damaged = Buffer.from(bytes);
        damaged.fill(0xff, position, position + 70_000);
        expect(await post(damaged, encoding)).to.match(/^(?:body_too_large|invalid_body)$/);
      }
    }
    const small = gzipSync('{"a":"some text"}');
    for (let end = 1; end < small.length; end++)
      expect(await post(small.subarray(0, end), 'gzip'), `${end} bytes`).to.equal('invalid_body');
  });

  it('evicts the largest bodies when all together hold too much memory, and reads small ones', async () => {
    const part = Buffer.alloc(maxBytes - 1);
    const outcomes = Array.from({ length: 50 }, () => sendPart([part], `Content-Length: ${maxBytes}`));
    const evicted = () => outcomes.filter(({ received }) => received.includes('overloaded')).length;
    await eventually(async () => expect(evicted()).to.be.at.least(18), 5_000);
    expect(evicted()).to.be.below(30);
    expect(await post('small')).to.equal('5 bytes');
    // What was evicted or closed counts no longer.
    for (const socket of sockets.splice(0)) socket.destroy();
    await eventually(async () => expect(await post(zeros)).to.equal(`${maxBytes} bytes`), 5_000);
  });

  it('counts what chunks of one byte take besides it', async () => {
    const chunks = '1\r\nx\r\n'.repeat(250_000);
    const outcome = sendPart([chunks], 'Transfer-Encoding: chunked');
    await eventually(async () => expect(outcome.received).to.include('overloaded'), 10_000);
    const short = sendPart(['1\r\nx\r\n'.repeat(20_000), '0\r\n\r\n'], 'Transfer-Encoding: chunked');
    await eventually(async () => expect(short.received).to.include('20000 bytes'), 10_000);
  });
});
