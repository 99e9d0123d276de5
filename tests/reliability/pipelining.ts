import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { Installation } from '../process/installation.ts';
import { Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import { percentile, startIdleServer } from './overload.ts';
import { serveMeasured, usageOf } from './resource-usage.ts';

/** Number of open connections. */
const concurrency = 100;

const request = (method: string, path: string): string => `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Small requests with large responses: 60 requests in 4 KB. */
const asset = request('GET', '/swagger/assets/swagger-ui-bundle.js');
const pipelined = [
  asset.repeat(60),
  (request('HEAD', '/openapi.yaml') + request('GET', '/openapi.yaml') + asset).repeat(20),
  request('GET', '/openapi.json').repeat(60),
];

/** Opens a connection that sends requests, and does not read the responses. */
const open = (url: URL, requests: string): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname, () => {
      socket.write(requests, () => resolve(socket));
    });
    socket.pause().on('error', () => resolve(socket));
  });

/** Reads until the connection is closed. Resolves with the number of responses. */
const answersUntilClosed = (socket: Socket): Promise<number> =>
  new Promise((resolve) => {
    let responses = 0;
    if (socket.destroyed) resolve(responses);
    socket.on('data', (data: Buffer) => {
      responses += data.toString('latin1').split('HTTP/1.1 ').length - 1;
    });
    socket.once('close', () => resolve(responses)).resume();
  });

/** The response time of a path in milliseconds. */
const timeOf = async (caller: Caller, path: string): Promise<number> => {
  const asked = performance.now();
  expect((await caller.call('GET', path))?.status).to.equal(200);
  return performance.now() - asked;
};

/** A round is one connection with pipelined requests. */
export const pipelining: Guarantee = {
  name: 'clients that pipeline requests and read no responses delay no other client, cost little memory, and are disconnected after 30 s',
  rounds: { short: 300, long: 10_000 },
  timeoutMs: 120_000,
  run: async (rounds) => {
    const installation = await Installation.create();
    const sockets: Socket[] = [];
    try {
      await installation.configure();
      const serving = await serveMeasured(installation);
      const [health, idleServer] = [new Caller(serving.adminUrl), new Caller(await startIdleServer(installation))];
      const before = (await usageOf(serving)).memory;
      const [healthTimesMs, idleTimesMs]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        sockets.push(await open(new URL(serving.url), pipelined[round % pipelined.length] ?? ''));
        healthTimesMs.push(await timeOf(health, '/livez'));
        idleTimesMs.push(await timeOf(idleServer, '/'));
        if (sockets.length > concurrency) sockets.shift()?.destroy();
      }
      for (const caller of [health, idleServer]) caller.close();
      const memory = (await usageOf(serving)).memory - before;
      // After 30 s the connections are closed; what can be read now was already in transit.
      await new Promise((resolve) => setTimeout(resolve, 40_000));
      const responses = await Promise.all(sockets.map(answersUntilClosed));
      expect(memory, 'memory in MiB').to.be.lessThan(48);
      for (const count of responses) expect(count, 'answers on a connection').to.be.lessThan(60);
      // Percentile 75 ignores single delays by other work on the machine. Without the limit, one in three was late.
      const late = percentile(healthTimesMs, 0.75) - percentile(idleTimesMs, 0.75);
      expect(late, 'health response time minus that of an idle process, in milliseconds').to.be.lessThan(20);
      const [p99, idle] = [healthTimesMs, idleTimesMs].map((each) => percentile(each, 0.99).toFixed(0));
      return `${rounds} connections with 60 requests each, ${concurrency} at a time: memory ${memory.toFixed(0)} MiB more, health p99 ${p99} ms (an idle process: ${idle} ms), all closed within 40 s`;
    } finally {
      for (const socket of sockets) socket.destroy();
      await installation.dispose();
    }
  },
};
