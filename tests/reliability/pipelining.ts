import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { Installation } from '../process/installation.ts';
import { Caller } from './caller.ts';
import type { Promised } from './guarantee.ts';
import { percentile, startIdler } from './overload.ts';
import { serveMeasured, usageOf } from './usage.ts';

/** How many connections are open at once. */
const together = 100;

const request = (method: string, path: string): string => `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Requests that were costly for the service and are cheap for their client: 60 of them in 4 KB. */
const asset = request('GET', '/swagger/assets/swagger-ui-bundle.js');
const pipelined = [
  asset.repeat(60),
  (request('HEAD', '/openapi.yaml') + request('GET', '/openapi.yaml') + asset).repeat(20),
  request('GET', '/openapi.json').repeat(60),
];

/** A client that sends many requests and reads none of the answers. */
const open = (url: URL, requests: string): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname, () => {
      socket.write(requests, () => resolve(socket));
    });
    socket.pause().on('error', () => resolve(socket));
  });

/** Reads what comes until the connection is closed; resolves with how many answers that were. */
const answersUntilClosed = (socket: Socket): Promise<number> =>
  new Promise((resolve) => {
    let answers = 0;
    if (socket.destroyed) resolve(answers);
    socket.on('data', (data: Buffer) => {
      answers += data.toString('latin1').split('HTTP/1.1 ').length - 1;
    });
    socket.once('close', () => resolve(answers)).resume();
  });

/** How long the service takes to tell that it lives, in milliseconds. */
const timeOf = async (caller: Caller, path: string): Promise<number> => {
  const asked = performance.now();
  expect((await caller.call('GET', path))?.status).to.equal(200);
  return performance.now() - asked;
};

/** Sends pipelined requests and reads no answer; a round is one connection. */
export const bearsPipelining: Promised = {
  name: 'clients that pipeline requests and read no answers hold up nobody, cost little memory, and are closed after 30 s',
  rounds: { short: 300, long: 10_000 },
  patience: 120_000,
  run: async (rounds) => {
    const installation = await Installation.create();
    const sockets: Socket[] = [];
    try {
      await installation.configure();
      const serving = await serveMeasured(installation);
      const [health, idler] = [new Caller(serving.adminUrl), new Caller(await startIdler(installation))];
      const before = (await usageOf(serving)).memory;
      const [times, others]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        sockets.push(await open(new URL(serving.url), pipelined[round % pipelined.length] ?? ''));
        times.push(await timeOf(health, '/livez'));
        others.push(await timeOf(idler, '/'));
        if (sockets.length > together) sockets.shift()?.destroy();
      }
      for (const caller of [health, idler]) caller.close();
      const memory = (await usageOf(serving)).memory - before;
      // Whoever reads only then gets what was on the way when the service closed the connection.
      await new Promise((resolve) => setTimeout(resolve, 40_000));
      const answers = await Promise.all(sockets.map(answersUntilClosed));
      expect(memory, 'memory in MiB').to.be.lessThan(48);
      for (const count of answers) expect(count, 'answers on a connection').to.be.lessThan(60);
      // Other work on the machine makes some answers late, and a third of the connections used to do it each time.
      const late = percentile(times, 0.75) - percentile(others, 0.75);
      expect(
        late,
        'milliseconds that an answer about the health takes longer than that of an idle process',
      ).to.be.lessThan(20);
      const [p99, idle] = [times, others].map((each) => percentile(each, 0.99).toFixed(0));
      return `${rounds} connections with 60 requests each, ${together} at a time: memory ${memory.toFixed(0)} MiB more, health p99 ${p99} ms (an idle process: ${idle} ms), all closed within 40 s`;
    } finally {
      for (const socket of sockets) socket.destroy();
      await installation.dispose();
    }
  },
};
