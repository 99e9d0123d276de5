import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { protocolReply } from '../../../../../adapters/http/api/refusal.ts';
import { type Listener, listen } from '../../../../../adapters/http/server/listener.ts';

const manyTiny = '1\r\nx\r\n'.repeat(5_000);

describe('a body in tiny chunks', () => {
  let listener: Listener;
  const start = async (handle: RequestListener): Promise<void> => {
    listener = await listen(handle, { host: '127.0.0.1', port: 0, tls: null }, protocolReply);
  };
  afterEach(() => listener.stop(0));

  const readBody: RequestListener = (request, response) => {
    const answer = (length: number) => response.end(`${length} bytes`);
    buffer(request).then(
      ({ length }) => answer(length),
      () => response.destroy(),
    );
  };
  const refuse: RequestListener = (_, response) => void response.writeHead(401).end('refused');

  /** Sends chunks. Resolves with what was received until the server closed the connection. */
  const send = async (...chunks: readonly string[]): Promise<string> => {
    let received = '';
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
    socket.on('data', (data) => {
      received += data;
    });
    // A reset, when the rest of the body was not read.
    socket.on('error', () => {});
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n');
    for (const chunk of chunks) socket.write(chunk);
    await once(socket, 'close');
    return received;
  };

  it('is not read to its end, which would delay the requests of others', async () => {
    await start(readBody);
    expect(await send(manyTiny, '0\r\n\r\n')).to.equal('');
  });

  it('is not read to its end after the response either', async () => {
    await start(refuse);
    const port = Number(new URL(listener.url).port);
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n');
    expect(String(await once(socket, 'data'))).to.include('401');
    socket.write(manyTiny);
    await once(socket, 'close');
  });

  it('is read if its chunks are few, or not tiny on average', async () => {
    await start(readBody);
    expect(await send('1\r\nx\r\n'.repeat(4_000), '0\r\n\r\n')).to.include('4000 bytes');
    expect(await send(`64\r\n${'x'.repeat(100)}\r\n`.repeat(10_000), '0\r\n\r\n')).to.include('1000000 bytes');
  });

  it('leaves the connection open when it was refused and ends', async () => {
    await start(refuse);
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
    const request = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
    for (let count = 0; count < 2; count++) {
      socket.write(request);
      expect(String(await once(socket, 'data'))).to.include('401');
      socket.write(`${'1\r\nx\r\n'.repeat(1_000)}0\r\n\r\n`);
    }
    socket.destroy();
  });
});
