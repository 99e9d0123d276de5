import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { Installation } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';

const address = 'slow@example.com';
const password = 'a password of the slow clients test';
const head = 'GET /users HTTP/1.1\r\nHost: example.com\r\nX-Slow: ';

/** A connection that sends one byte per second and never ends its headers. */
class SlowConnection {
  readonly closed: Promise<void>;
  private readonly socket: Socket;
  private readonly timer: NodeJS.Timeout;

  constructor(url: URL) {
    this.socket = connect(Number(url.port), url.hostname);
    let sent = 0;
    this.timer = setInterval(() => this.socket.write(head[sent++] ?? 'x'), 1_000);
    this.socket.on('error', () => {});
    this.socket.resume();
    this.closed = new Promise((resolve) => {
      this.socket.once('close', () => {
        clearInterval(this.timer);
        resolve();
      });
    });
  }

  end(): void {
    clearInterval(this.timer);
    this.socket.destroy();
  }
}

/** Reads a user repeatedly. Resolves with the median response time in milliseconds. */
const medianRead = async (caller: Caller, durationMs: number): Promise<number> => {
  const times: number[] = [];
  const until = performance.now() + durationMs;
  while (performance.now() < until) {
    const asked = performance.now();
    const response = await caller.call('GET', at(address), undefined, { password });
    expect(response?.status).to.equal(200);
    times.push(performance.now() - asked);
  }
  return times.sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
};

/** A round is one slow connection. */
export const slowClients: Guarantee = {
  name: 'clients that send one byte per second are disconnected, and others are served as before',
  rounds: { short: 1_000, long: 1_000 },
  timeoutMs: 60_000,
  run: async (count) => {
    const installation = await Installation.create();
    const slowConnections: SlowConnection[] = [];
    try {
      await installation.configure();
      const { url } = await installation.serve();
      const caller = new Caller(url);
      await caller.call('POST', '/users', { email: { address }, password });
      const before = await medianRead(caller, 500);
      for (let index = 0; index < count; index++) slowConnections.push(new SlowConnection(new URL(url)));
      const closing = Promise.all(slowConnections.map(({ closed }) => closed));
      const during = await medianRead(caller, 2_000);
      const started = performance.now();
      await closing;
      const seconds = (performance.now() - started) / 1_000 + 2;
      caller.close();
      // Generous, because the slow clients take processor time of the same machine.
      expect(during, `median read in milliseconds, ${before} before`).to.be.lessThan(before * 5 + 5);
      expect(seconds, 'until all were closed').to.be.lessThan(15);
      return `${count} slow connections: median read ${during.toFixed(1)} ms (${before.toFixed(1)} ms without them), all closed within ${seconds.toFixed(0)} s`;
    } finally {
      for (const slowConnection of slowConnections) slowConnection.end();
      await installation.dispose();
    }
  },
};
