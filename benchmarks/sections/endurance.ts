import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, Section } from '../bench.ts';
import { headers, latchkey } from '../latchkey.ts';
import { type Load, send } from '../load/load.ts';
import { Server } from '../server.ts';
import { folderWith, seededDatabase } from '../users.ts';

const users = 1_000;
const load: Load = { operation: 'read', users, headers, connections: 32 };

/** How far the memory may move and still count as no growth, in MB: the collector leaves that much from one look to the next. */
const tolerance = 10;

const longestTurn = 10;

/** Sends at least so many requests. */
const sendMany = async ({ machine }: Bench, url: string, requests: number): Promise<number> => {
  let [sent, seconds] = [0, 1];
  while (sent < requests) {
    const seen = await send(machine, url, load, seconds);
    sent += seen.requests;
    const perSecond = seen.requests / seen.seconds;
    seconds = Math.min(longestTurn, Math.max(1, Math.ceil((requests - sent) / perSecond)));
  }
  return sent;
};

/** The least memory in use over some seconds of rest, in MB. */
const memoryAtRest = async (server: Server): Promise<number> => {
  const looks: number[] = [];
  for (let look = 0; look < 4; look++) {
    await pause(500);
    looks.push(server.residentBytes() / 1e6);
  }
  return Math.min(...looks);
};

/** Whether the memory grows with the number of requests served. */
export const endurance: Section = {
  name: 'endurance',
  title: 'After many requests',
  explanation: 'The memory of the process before and after very many reads.',
  run: async (bench) => {
    const [before, many] = bench.extent.quick ? [50_000, 100_000] : [100_000, 1_000_000];
    const folder = folderWith(bench, 'endurance', await seededDatabase(bench, users));
    const server = await Server.start(bench.machine, latchkey(folder));
    try {
      bench.say(`  ${before} requests, then ${many} more`);
      await sendMany(bench, server.url, before);
      const first = await memoryAtRest(server);
      const sent = await sendMany(bench, server.url, many);
      const last = await memoryAtRest(server);
      return {
        contenders: [],
        figures: [
          { name: 'memory before', unit: 'MB', values: [first] },
          { name: 'memory afterwards', unit: 'MB', values: [last] },
        ],
        rows: [
          {
            name: `growth of the memory over ${many.toLocaleString('en-US')} requests, none asked for`,
            limit: { kind: 'at most', value: tolerance, unit: 'MB' },
            values: [last - first],
            cpu: [],
          },
        ],
        notes: [
          `${sent.toLocaleString('en-US')} reads were sent after a warm-up of ${before.toLocaleString('en-US')}.`,
        ],
      };
    } finally {
      await server.stop();
    }
  },
};
