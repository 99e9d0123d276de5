import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import { statusOf } from '../ask.ts';
import type { Bench, Section } from '../bench.ts';
import { contender } from '../contender.ts';
import { freePort } from '../free-port.ts';
import { headers, latchkey } from '../latchkey.ts';
import { root } from '../machine.ts';
import { type Program, Server } from '../server.ts';
import { ratios } from '../statistics.ts';
import { folderWith, pathOf, seededDatabase } from '../users.ts';

/** How many starts there are, and in how many of them the memory is looked at. */
const starts = 10;
const idleLooks = { quick: 1, full: 3 };
const idleAfter = 2_000;

const patience = 20_000;

interface Turn {
  /** From the spawn to the first 200, in milliseconds. */
  readonly time: number;
  /** The memory in use when nobody has asked for two seconds, in bytes. */
  readonly idle: number | undefined;
}

const turn = async (bench: Bench, port: number, program: Program, looks: boolean): Promise<Turn> => {
  const started = performance.now();
  const server = Server.spawn(bench.machine, program);
  try {
    const url = `http://127.0.0.1:${port}${pathOf(7)}`;
    for (;;) {
      const status = await statusOf(url, headers, true);
      if (status === 200) break;
      if (status !== undefined || performance.now() - started > patience)
        throw new Error(`a start ended with ${status ?? 'no answer'}: ${server.errors.slice(-500)}`);
      await nextTurn();
    }
    const time = performance.now() - started;
    if (!looks) return { time, idle: undefined };
    await pause(idleAfter);
    return { time, idle: server.residentBytes() };
  } finally {
    await server.stop();
    rmSync(program.folder, { recursive: true });
  }
};

/**
 * The configuration that `npm start` runs, in a folder, at other ports, with passwords that take no time to check, and
 * without a throttle: the server that it is compared with has none.
 */
const embedded = (folder: string, port: number): Program => {
  const {
    passwordHash: _,
    throttle: __,
    server,
    ...shipped
  } = parse(readFileSync(join(root, 'config', 'local.yaml'), 'utf8'));
  return latchkey(folder, {
    ...shipped,
    server: { ...server, port, adminPort: 0 },
    database: { type: 'sqlite', path: 'users.db' },
    email: { ...shipped.email, directory: 'outbox' },
    auth: { type: 'basic', keys: [{ application: 'bench', secret: 'a secret of the bench' }] },
  });
};

/** From nothing to the first answer, and what it takes to wait for the next one. */
export const start: Section = {
  name: 'start',
  title: 'Starting, and waiting',
  explanation:
    'From the start of the process to the first user that is read, asked for again and again, ten times in turn; and the memory two seconds after it.',
  run: async (bench) => {
    const database = await seededDatabase(bench, 100);
    const [bare, own]: [Turn[], Turn[]] = [[], []];
    for (let round = 0; round < starts; round++) {
      const looks = round < (bench.extent.quick ? idleLooks.quick : idleLooks.full);
      const port = await freePort();
      const folder = folderWith(bench, 'koa', database);
      const environment = { DATABASE: join(folder, 'users.db'), PORT: String(port) };
      bare.push(await turn(bench, port, contender('koa-sqlite', folder, environment), looks));
      const other = await freePort();
      own.push(await turn(bench, other, embedded(folderWith(bench, 'latchkey', database), other), looks));
    }
    const times = (turns: readonly Turn[]) => turns.map(({ time }) => time);
    const idle = (turns: readonly Turn[]) => turns.flatMap((each) => (each.idle === undefined ? [] : each.idle / 1e6));
    return {
      contenders: [],
      figures: [
        { name: 'Koa, start to the first 200', unit: 'ms', values: times(bare) },
        { name: 'Latchkey, start to the first 200', unit: 'ms', values: times(own) },
        { name: 'Koa, memory when idle', unit: 'MB', values: idle(bare) },
        { name: 'Latchkey, memory when idle', unit: 'MB', values: idle(own) },
      ],
      rows: [
        {
          name: 'start to the first user that is read, over Koa with the same read',
          limit: { kind: 'at most', value: 1.3, unit: '×' },
          values: ratios(times(own), times(bare)),
          cpu: [],
        },
        {
          name: 'memory when idle, over that of Koa',
          limit: { kind: 'at most', value: 15, unit: 'MB' },
          values: idle(own).map((bytes, round) => bytes - (idle(bare)[round] ?? Number.NaN)),
          cpu: [],
        },
      ],
      notes: ['The configuration is the one that `npm start` runs, apart from its ports and its password hash.'],
    };
  },
};
