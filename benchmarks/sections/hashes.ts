import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { hangUp, statusOf } from '../ask.ts';
import type { Bench, Section } from '../bench.ts';
import { outputOf } from '../child.ts';
import { headers, latchkey } from '../latchkey.ts';
import { type Load, send } from '../load/load.ts';
import { onCores } from '../machine.ts';
import type { Figure, Row } from '../results.ts';
import { Server } from '../server.ts';
import { quantile, ratios } from '../statistics.ts';
import { folderWith, pathOf, seededDatabase } from '../users.ts';

const algorithms = ['bcrypt', 'argon2'] as const;
type Algorithm = (typeof algorithms)[number];

const users = 8;
// Few enough for none to wait longer than the service lets them.
const connections = 8;
const load: Load = { operation: 'read', users, headers, connections };

/** How long a turn is, in seconds: checks are few, and their figures need more time than others. */
const secondsOf = ({ extent }: Bench): number => extent.seconds * 2;

const configuration = (algorithm: Algorithm) => ({ passwordHash: { algorithm, serverSideHash: true } });

const counted = t.type({ checks: t.number, seconds: t.number });
const script = fileURLToPath(new URL('../contenders/hash-checks.js', import.meta.url));

/** How many checks per second the library does alone. */
const alone = async (bench: Bench, stored: string): Promise<number> => {
  const seconds = secondsOf(bench);
  const environment = {
    STORED: stored,
    PASSWORD: headers.password,
    CONCURRENCY: String(connections),
    SECONDS: String(seconds),
  };
  const command = onCores(bench.machine, 'server', [process.execPath, script]);
  const output = await outputOf(command, { environment, patience: (seconds + 30) * 1_000 });
  const read = counted.decode(JSON.parse(output));
  if (isLeft(read)) throw new Error('the checks of hashes told something else than their figures');
  return read.right.checks / read.right.seconds;
};

/** Asks for the health again and again until told to stop; the times of the answers in milliseconds. */
const watchHealth = (url: string): (() => Promise<readonly number[]>) => {
  let watching = true;
  const times: number[] = [];
  const watch = async (): Promise<void> => {
    while (watching) {
      const started = performance.now();
      const status = await statusOf(`${url}/healthcheck`);
      times.push(performance.now() - started);
      if (status !== 200) throw new Error(`the health was answered with ${status}`);
      // Often enough for a percentile, and seldom enough to leave the processor to the hashes.
      await pause(40);
    }
  };
  const watched = watch();
  // Whoever stops it hears of it.
  watched.catch(() => undefined);
  return async () => {
    watching = false;
    await watched;
    return times;
  };
};

interface Turn {
  readonly alone: number;
  readonly served: number;
  /** The 99th percentile of the health's times, in milliseconds. */
  readonly health: number;
}

const storedForm = t.type({ password: t.string });

const storedBy = async (url: string): Promise<string> => {
  const read = storedForm.decode(await (await fetch(`${url}${pathOf(0)}`, { headers })).json());
  if (isLeft(read)) throw new Error('the user has no password');
  return read.right.password;
};

const turn = async (bench: Bench, algorithm: Algorithm, database: string): Promise<Turn> => {
  const { machine } = bench;
  const folder = folderWith(bench, algorithm, database);
  const server = await Server.start(machine, latchkey(folder, configuration(algorithm)));
  try {
    const stored = await storedBy(server.url);
    const stop = watchHealth(server.adminUrl);
    const { requests, seconds } = await send(machine, server.url, load, secondsOf(bench));
    const health = quantile(await stop(), 0.99);
    await server.stop();
    return { served: requests / seconds, health, alone: await alone(bench, stored) };
  } finally {
    hangUp();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
};

const reported = (
  algorithm: Algorithm,
  turns: readonly Turn[],
): { figures: readonly Figure[]; rows: readonly Row[] } => {
  const [own, library] = [turns.map(({ served }) => served), turns.map((each) => each.alone)];
  const values = turns.map(({ health }) => health);
  return {
    figures: [
      { name: `${algorithm}, the library alone`, unit: '/s', values: library },
      { name: `${algorithm}, GET`, unit: '/s', values: own },
    ],
    rows: [
      {
        name: `GET with a check of ${algorithm}, over the library alone`,
        limit: { kind: 'at least', value: 0.95, unit: '×' },
        values: ratios(own, library),
        cpu: [],
      },
      {
        name: `p99 of GET /healthcheck during checks of ${algorithm}`,
        limit: { kind: 'at most', value: 20, unit: 'ms' },
        values,
        cpu: [],
      },
    ],
  };
};

/** Slow password hashes: they shall get the whole processor, and stop nobody else. */
export const hashes: Section = {
  name: 'hashes',
  title: 'Checking slow hashes',
  explanation:
    'GET `/users` with bcrypt and argon2 at their default cost, over the library alone; meanwhile somebody asks for the health.',
  run: async (bench) => {
    const results: ReturnType<typeof reported>[] = [];
    for (const algorithm of algorithms) {
      const database = await seededDatabase(bench, users, configuration(algorithm));
      const turns: Turn[] = [];
      for (let round = 1; round <= bench.extent.rounds; round++) {
        bench.say(`  ${algorithm}, round ${round} of ${bench.extent.rounds}`);
        turns.push(await turn(bench, algorithm, database));
      }
      results.push(reported(algorithm, turns));
    }
    return {
      contenders: [],
      figures: results.flatMap(({ figures }) => figures),
      rows: results.flatMap(({ rows }) => rows),
      notes: [`${connections} checks are asked for at once, at the cost that the service has by default.`],
    };
  },
};
