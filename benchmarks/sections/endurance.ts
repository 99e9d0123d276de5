import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, Section } from '../bench.ts';
import { headers, latchkey } from '../latchkey.ts';
import { type Load, send } from '../load/load.ts';
import { Server } from '../server.ts';
import { folderWith, seededDatabase } from '../users.ts';

const users = 1_000;
const load: Load = { operation: 'read', users, headers, connections: 32 };

/** Growth that still counts as none, in MB: normal variation of the garbage collector. */
const toleranceMB = 10;

const maxTurnSeconds = 10;

/** Sends at least this number of requests; returns how many. */
const sendMany = async ({ machine }: Bench, url: string, requests: number): Promise<number> => {
  let [sent, seconds] = [0, 1];
  while (sent < requests) {
    const result = await send(machine, url, load, seconds);
    sent += result.requests;
    const perSecond = result.requests / result.seconds;
    seconds = Math.min(maxTurnSeconds, Math.max(1, Math.ceil((requests - sent) / perSecond)));
  }
  return sent;
};

/** Minimum memory over two seconds without load, in MB. */
const memoryAtRest = async (server: Server): Promise<number> => {
  const samples: number[] = [];
  for (let sample = 0; sample < 4; sample++) {
    await sleep(500);
    samples.push(server.residentBytes() / 1e6);
  }
  return Math.min(...samples);
};

/** Whether the memory grows with the number of requests. */
export const endurance: Section = {
  name: 'endurance',
  title: 'Memory after many requests',
  explanation: 'Memory of the process before and after a large number of reads.',
  run: async (bench) => {
    // First, until the young generation has grown to its bound, which takes about ten seconds.
    const [before, many] = bench.extent.quick ? [50_000, 100_000] : [500_000, 1_000_000];
    const folder = folderWith(bench, 'endurance', await seededDatabase(bench, users));
    const server = await Server.start(bench.machine, latchkey(folder));
    try {
      bench.log(`  ${before} requests, then ${many} more`);
      await sendMany(bench, server.url, before);
      const first = await memoryAtRest(server);
      const sent = await sendMany(bench, server.url, many);
      const last = await memoryAtRest(server);
      return {
        contenders: [],
        figures: [
          { name: 'memory before', unit: 'MB', values: [first] },
          { name: 'memory after', unit: 'MB', values: [last] },
        ],
        rows: [
          {
            name: `memory growth over ${many.toLocaleString('en-US')} requests`,
            limit: { kind: 'at most', value: toleranceMB, unit: 'MB' },
            values: [last - first],
            cpu: [],
          },
        ],
        notes: [
          `${sent.toLocaleString('en-US')} reads were sent after a warm-up with ${before.toLocaleString('en-US')}.`,
        ],
      };
    } finally {
      await server.stop();
    }
  },
};
