import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, Section } from '../bench.ts';
import { headers, latchkey } from '../latchkey.ts';
import { type Load, type LoadResult, send } from '../load/load.ts';
import { warmUps } from '../rounds.ts';
import { Server } from '../server.ts';
import { ratios } from '../statistics.ts';
import { folderWith, seededDatabase } from '../users.ts';

const users = 10_000;
const reading: Load = { operation: 'read', users, headers, connections: 32 };
const writing: Load = { operation: 'create', users, headers, connections: 32 };

const delayMonitor = new URL('../event-loop.js', import.meta.url).href;

/** The longest event loop delay since the previous call, in milliseconds. */
const longestDelay = async (server: Server): Promise<number> => {
  const reported = () => [...server.errors.matchAll(/^longest delay (.*)$/gm)].map(([, figure]) => Number(figure));
  const before = reported().length;
  server.signal('SIGUSR2');
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const last = reported().at(before);
    if (last !== undefined) return last;
    await sleep(5);
  }
  throw new Error('the service did not report its event loop delay');
};

interface Turn {
  readonly alone: LoadResult;
  readonly duringWrites: LoadResult;
  readonly written: LoadResult;
  readonly longestDelayMs: number;
}

const turn = async (bench: Bench, database: string): Promise<Turn> => {
  const { machine, extent } = bench;
  const folder = folderWith(bench, 'mixed', database);
  const server = await Server.start(machine, latchkey(folder, {}, { flags: [`--import=${delayMonitor}`] }));
  const both = (seconds: number) =>
    Promise.all([send(machine, server.url, reading, seconds), send(machine, server.url, writing, seconds)]);
  try {
    for (let sent = 0; sent < warmUps.least; sent++) await both(extent.warmUpSeconds);
    const alone = await send(machine, server.url, reading, extent.seconds);
    await longestDelay(server);
    const [duringWrites, written] = await both(extent.seconds);
    return { alone, duringWrites, written, longestDelayMs: await longestDelay(server) };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
};

/** Reads during writes: writes must not block readers. */
export const mixed: Section = {
  name: 'mixed',
  title: 'Reads during writes',
  explanation: 'Reads by 32 clients, first alone, then while 32 more clients create users continuously.',
  run: async (bench) => {
    const database = await seededDatabase(bench, users);
    const turns: Turn[] = [];
    for (let round = 1; round <= bench.extent.rounds; round++) {
      bench.log(`  round ${round} of ${bench.extent.rounds}`);
      turns.push(await turn(bench, database));
    }
    const alone = turns.map((each) => each.alone.p99);
    const duringWrites = turns.map((each) => each.duringWrites.p99);
    const longestDelaysMs = turns.map((each) => each.longestDelayMs);
    return {
      contenders: [],
      figures: [
        { name: 'p99 of GET without writes', unit: 'ms', values: alone },
        { name: 'p99 of GET during writes', unit: 'ms', values: duringWrites },
        {
          name: 'GET during writes',
          unit: '/s',
          values: turns.map(({ duringWrites: result }) => result.requests / result.seconds),
        },
        {
          name: 'POST at the same time',
          unit: '/s',
          values: turns.map(({ written: result }) => result.requests / result.seconds),
        },
      ],
      rows: [
        {
          name: 'p99 of GET during writes, relative to p99 without writes',
          limit: { kind: 'at most', value: 3, unit: '×' },
          values: ratios(duringWrites, alone),
          cpu: [],
        },
        {
          name: 'longest event loop delay during writes',
          limit: { kind: 'at most', value: 20, unit: 'ms' },
          values: longestDelaysMs,
          cpu: [],
        },
      ],
      notes: [
        'Both loads keep all of their connections busy, so readers share the core with writers, and part of the additional latency is queueing.',
      ],
    };
  },
};
