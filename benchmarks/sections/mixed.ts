import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, Section } from '../bench.ts';
import { headers, latchkey } from '../latchkey.ts';
import { type Load, type Seen, send } from '../load/load.ts';
import { Server } from '../server.ts';
import { ratios } from '../statistics.ts';
import { folderWith, seededDatabase } from '../users.ts';

const users = 10_000;
const reading: Load = { operation: 'read', users, headers, connections: 32 };
const writing: Load = { operation: 'create', users, headers, connections: 32 };

const watch = new URL('../event-loop.js', import.meta.url).href;

/** The longest pause of the event loop since the last question, in milliseconds. */
const longestPause = async (server: Server): Promise<number> => {
  const told = () => [...server.errors.matchAll(/^longest pause (.*)$/gm)].map(([, figure]) => Number(figure));
  const before = told().length;
  server.signal('SIGUSR2');
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const last = told().at(before);
    if (last !== undefined) return last;
    await pause(5);
  }
  throw new Error('the service did not tell about its event loop');
};

interface Turn {
  readonly alone: Seen;
  readonly meanwhile: Seen;
  readonly written: Seen;
  readonly pause: number;
}

const turn = async (bench: Bench, database: string): Promise<Turn> => {
  const { machine, extent } = bench;
  const folder = folderWith(bench, 'mixed', database);
  const server = await Server.start(machine, latchkey(folder, {}, { flags: [`--import=${watch}`] }));
  const both = (seconds: number) =>
    Promise.all([send(machine, server.url, reading, seconds), send(machine, server.url, writing, seconds)]);
  try {
    await both(extent.warmUp);
    const alone = await send(machine, server.url, reading, extent.seconds);
    await longestPause(server);
    const [meanwhile, written] = await both(extent.seconds);
    return { alone, meanwhile, written, pause: await longestPause(server) };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
};

/** Reads beside writes: a write must not make readers wait. */
export const mixed: Section = {
  name: 'mixed',
  title: 'Reading while 32 clients write',
  explanation: 'Reads by 32 clients alone, then beside 32 more that create users without a pause.',
  run: async (bench) => {
    const database = await seededDatabase(bench, users);
    const turns: Turn[] = [];
    for (let round = 1; round <= bench.extent.rounds; round++) {
      bench.say(`  round ${round} of ${bench.extent.rounds}`);
      turns.push(await turn(bench, database));
    }
    const alone = turns.map((each) => each.alone.p99);
    const meanwhile = turns.map((each) => each.meanwhile.p99);
    const pauses = turns.map((each) => each.pause);
    return {
      contenders: [],
      figures: [
        { name: 'p99 of GET alone', unit: 'ms', values: alone },
        { name: 'p99 of GET while 32 clients write', unit: 'ms', values: meanwhile },
        { name: 'GET meanwhile', unit: '/s', values: turns.map(({ meanwhile: seen }) => seen.requests / seen.seconds) },
        { name: 'POST meanwhile', unit: '/s', values: turns.map(({ written: seen }) => seen.requests / seen.seconds) },
      ],
      rows: [
        {
          name: 'p99 of GET while 32 clients write, over the p99 of GET alone',
          limit: { kind: 'at most', value: 3, unit: '×' },
          values: ratios(meanwhile, alone),
          cpu: [],
        },
        {
          name: 'longest pause of the event loop meanwhile',
          limit: { kind: 'at most', value: 20, unit: 'ms' },
          values: pauses,
          cpu: [],
        },
      ],
      notes: [
        'Both loads keep all of their connections busy, so that readers share the core with writers: some of the longer wait is the length of the queue.',
      ],
    };
  },
};
