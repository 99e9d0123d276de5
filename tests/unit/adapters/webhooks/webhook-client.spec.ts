import type { Socket } from 'node:net';
import { expect } from 'chai';
import { retryAfterMsOf, WebhookClient } from '../../../../adapters/webhooks/webhook-client.ts';
import { newWebhookSecret } from '../../../../sdk/contract/http/webhook-receiver.ts';
import { startTcpServer } from '../../../support/tcp-servers.ts';

describe('the Retry-After header of a webhook', () => {
  it('is read as seconds or as a date, up to an hour', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(retryAfterMsOf('120', now)).to.equal(120_000);
    expect(retryAfterMsOf('Thu, 01 Jan 2026 00:01:00 GMT', now)).to.equal(60_000);
    expect(retryAfterMsOf('999999999', now)).to.equal(3_600_000);
  });

  it('is ignored when it is missing, malformed or in the past', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    for (const header of [null, '', 'soon', '-5', 'Wed, 31 Dec 2025 00:00:00 GMT'])
      expect(retryAfterMsOf(header, now), String(header)).to.equal(0);
  });
});

describe('an event on a kept connection', () => {
  const accepted = 'HTTP/1.1 204 x\r\n\r\n';

  /** Sends two events at once and one after them, to a receiver that accepts `limit` connections. */
  const thirdOf = async (limit: number) => {
    const first: Socket[] = [];
    const receiver = await startTcpServer((socket) => {
      if (receiver.connections.length > limit) {
        socket.resetAndDestroy();
        return;
      }
      socket.once('data', () => {
        // Once both events are in progress, each on a connection of its own.
        if (first.push(socket) === 2) for (const one of first) one.write(accepted);
        else if (first.length > 2) socket.write(accepted);
        socket.once('data', () => socket.resetAndDestroy());
      });
    });
    const secrets = [{ secret: newWebhookSecret(), expires: null }];
    const client = new WebhookClient({ destination: 'd', url: `http://127.0.0.1:${receiver.port}/`, secrets });
    const send = (id: string) =>
      client.send({ id, destination: 'd', body: '{}', time: 0, attempts: 1, receipt: '' }, Date.now());
    try {
      await Promise.all([send('a'), send('b')]);
      await new Promise(setImmediate);
      return { result: await send('c'), connections: receiver.connections.length };
    } finally {
      await receiver.close();
    }
  };

  it('is sent again at once, on a new connection, if the receiver has closed the kept one', async () => {
    expect(await thirdOf(3)).to.deep.equal({ result: { outcome: 'delivered' }, connections: 3 });
  });

  it('fails if the receiver closes the new one, too', async () => {
    const { result, connections } = await thirdOf(2);
    expect(result).to.include({ outcome: 'ambiguous', reason: 'unreachable (ECONNRESET)' });
    expect(connections).to.equal(3);
  });
});
