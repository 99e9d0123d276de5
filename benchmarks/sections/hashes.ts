import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { Bench, Section } from '../bench.ts';
import { outputOf } from '../child.ts';
import { closeConnections, statusOf } from '../http-status.ts';
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
// Few enough that no request exceeds the queue limit of the service.
const connections = 8;
const load: Load = { operation: 'read', users, headers, connections };

/** Duration of a turn in seconds; longer than elsewhere, because checks are slow. */
const secondsOf = ({ extent }: Bench): number => extent.seconds * 2;

const configuration = (algorithm: Algorithm) => ({ passwordHash: { algorithm, serverSideHash: true } });

const counted = t.type({ checks: t.number, seconds: t.number });
const script = fileURLToPath(new URL('../contenders/hash-checks.js', import.meta.url));

/** Checks per second of the library alone. */
const alone = async (bench: Bench, stored: string): Promise<number> => {
  const seconds = secondsOf(bench);
  const environment = {
    STORED: stored,
    PASSWORD: headers.password,
    CONCURRENCY: String(connections),
    SECONDS: String(seconds),
  };
  const command = onCores(bench.machine, 'server', [process.execPath, script]);
  const output = await outputOf(command, { environment, timeoutMs: (seconds + 30) * 1_000 });
  const read = counted.decode(JSON.parse(output));
  if (isLeft(read)) throw new Error('the output of hash-checks.js is not valid');
  return read.right.checks / read.right.seconds;
};

/** Polls the health until the returned function is called; that resolves with the response times in milliseconds. */
const pollHealth = (url: string): (() => Promise<readonly number[]>) => {
  let isPolling = true;
  const times: number[] = [];
  const poll = async (): Promise<void> => {
    while (isPolling) {
      const started = performance.now();
      const status = await statusOf(`${url}/healthcheck`);
      times.push(performance.now() - started);
      if (status !== 200) throw new Error(`the health check returned ${status}`);
      // Often enough for a percentile, rarely enough to leave the CPU to the hashes.
      await sleep(40);
    }
  };
  const polled = poll();
  // The function below rethrows the error.
  polled.catch(() => undefined);
  return async () => {
    isPolling = false;
    await polled;
    return times;
  };
};

interface Turn {
  readonly alone: number;
  readonly served: number;
  /** The 99th percentile of the health check's response times, in milliseconds. */
  readonly healthMs: number;
}

const storedUser = t.type({ password: t.string });

const storedBy = async (url: string): Promise<string> => {
  const read = storedUser.decode(await (await fetch(`${url}${pathOf(0)}`, { headers })).json());
  if (isLeft(read)) throw new Error('the response has no password');
  return read.right.password;
};

const turn = async (bench: Bench, algorithm: Algorithm, database: string): Promise<Turn> => {
  const { machine } = bench;
  const folder = folderWith(bench, algorithm, database);
  const server = await Server.start(machine, latchkey(folder, configuration(algorithm)));
  try {
    const stored = await storedBy(server.url);
    const stop = pollHealth(server.adminUrl);
    const { requests, seconds } = await send(machine, server.url, load, secondsOf(bench));
    const healthMs = quantile(await stop(), 0.99);
    await server.stop();
    return { served: requests / seconds, healthMs, alone: await alone(bench, stored) };
  } finally {
    closeConnections();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
};

const reported = (
  algorithm: Algorithm,
  turns: readonly Turn[],
): { figures: readonly Figure[]; rows: readonly Row[] } => {
  const [own, library] = [turns.map(({ served }) => served), turns.map((each) => each.alone)];
  const values = turns.map(({ healthMs }) => healthMs);
  return {
    figures: [
      { name: `${algorithm}, the library alone`, unit: '/s', values: library },
      { name: `${algorithm}, GET`, unit: '/s', values: own },
    ],
    rows: [
      {
        name: `GET with ${algorithm}, relative to the library alone`,
        limit: { kind: 'at least', value: 0.95, unit: '×' },
        values: ratios(own, library),
        cpu: [],
      },
      {
        name: `p99 of GET /healthcheck during ${algorithm} checks`,
        limit: { kind: 'at most', value: 20, unit: 'ms' },
        values,
        cpu: [],
      },
    ],
  };
};

/** Slow password hashes: they should use the whole CPU without delaying other requests. */
export const hashes: Section = {
  name: 'hashes',
  title: 'Slow password hashes',
  explanation:
    'GET `/users` with bcrypt and argon2 at default costs, compared with the library alone, while another client requests `/healthcheck`.',
  run: async (bench) => {
    const results: ReturnType<typeof reported>[] = [];
    for (const algorithm of algorithms) {
      const database = await seededDatabase(bench, users, configuration(algorithm));
      const turns: Turn[] = [];
      for (let round = 1; round <= bench.extent.rounds; round++) {
        bench.log(`  ${algorithm}, round ${round} of ${bench.extent.rounds}`);
        turns.push(await turn(bench, algorithm, database));
      }
      results.push(reported(algorithm, turns));
    }
    return {
      contenders: [],
      figures: results.flatMap(({ figures }) => figures),
      rows: results.flatMap(({ rows }) => rows),
      notes: [`${connections} checks are requested at once, with the default costs of the service.`],
    };
  },
};
