import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { protocolReply } from '../../../../../adapters/http/api/refusal.ts';
import { listen } from '../../../../../adapters/http/server/listener.ts';

const place = { host: '127.0.0.1', port: 0, tls: null };

describe('a listener that stops', () => {
  for (const stopAt of [1, 7, 20]) {
    it(`answers all of 20 pipelined requests when it stops at request ${stopAt}`, async () => {
      let served = 0;
      let stopped: Promise<void> | undefined;
      const listener = await listen(
        (_, response) => {
          served += 1;
          if (served === stopAt) stopped = listener.stop(2_000);
          // Like a response that waits for a database.
          setImmediate(() => response.writeHead(200, { 'Content-Length': 2 }).end('ok'));
        },
        place,
        protocolReply,
      );
      const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(20));
      const received: string[] = [];
      socket.on('data', (data) => received.push(String(data)));
      await once(socket, 'close');
      await stopped;
      const responses = received.join('').split('HTTP/1.1 200 OK').slice(1);
      expect(responses).to.have.lengthOf(served);
      expect(served).to.equal(20);
      const last = responses.filter((response) => /^connection: close\r$/im.test(response));
      expect(last, 'only the last response says that it is').to.deep.equal(responses.slice(-1));
    });
  }
});
