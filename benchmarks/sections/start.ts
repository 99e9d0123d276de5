import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import type { Bench, Section } from '../bench.ts';
import { contender } from '../contender.ts';
import { freePort } from '../free-port.ts';
import { statusOf } from '../http-status.ts';
import { headers, latchkey } from '../latchkey.ts';
import { root } from '../machine.ts';
import { type Program, Server } from '../server.ts';
import { ratios } from '../statistics.ts';
import { folderWith, pathOf, seededDatabase } from '../users.ts';

const starts = 10;
/** In how many starts the memory is measured, too. */
const idleRounds = { quick: 1, full: 3 };
const idleAfterMs = 2_000;

const startTimeoutMs = 20_000;
const expectedPauseMs = 5;

interface Turn {
  /** Time and processor time from the spawn to the first 200, in milliseconds. */
  readonly startMs: number;
  readonly cpuMs: number;
  /** Processor time until `/readyz` answers 200; undefined for a server that has no such path. */
  readonly readyCpuMs: number | undefined;
  /** Resident memory after two seconds without requests, in bytes. */
  readonly idleBytes: number | undefined;
}

/**
 * Repeats a request until it is answered with 200, without pause while nothing listens. Statuses that are `expected` before
 * are no failure; it pauses after them, because the server spends processor time on each.
 */
const untilOk = async (server: Server, url: string, expected?: number): Promise<void> => {
  const started = performance.now();
  for (;;) {
    const status = await statusOf(url, headers, true);
    if (status === 200) return;
    if ((status !== undefined && status !== expected) || performance.now() - started > startTimeoutMs)
      throw new Error(`the start failed with ${status ?? 'no response'}: ${server.errors.slice(-500)}`);
    await (status === undefined ? nextTurn() : sleep(expectedPauseMs));
  }
};

const turn = async (
  bench: Bench,
  program: Program,
  ports: { readonly port: number; readonly adminPort?: number },
  measuresIdle: boolean,
): Promise<Turn> => {
  const started = performance.now();
  const server = Server.spawn(bench.machine, program);
  try {
    await untilOk(server, `http://127.0.0.1:${ports.port}${pathOf(7)}`);
    const read = { startMs: performance.now() - started, cpuMs: server.cpuSeconds() * 1e3 };
    if (ports.adminPort !== undefined) await untilOk(server, `http://127.0.0.1:${ports.adminPort}/readyz`, 503);
    const times = { ...read, readyCpuMs: ports.adminPort === undefined ? undefined : server.cpuSeconds() * 1e3 };
    if (!measuresIdle) return { ...times, idleBytes: undefined };
    await sleep(idleAfterMs);
    return { ...times, idleBytes: server.residentBytes() };
  } finally {
    await server.stop();
    rmSync(program.folder, { recursive: true });
  }
};

/** The configuration of `npm start` with other ports, without password hashing and throttle. */
const embedded = (folder: string, ports: { readonly port: number; readonly adminPort: number }): Program => {
  const { throttle: _, server, ...shipped } = parse(readFileSync(join(root, 'config', 'local.yaml'), 'utf8'));
  return latchkey(folder, {
    ...shipped,
    server: { ...server, ...ports },
    database: { type: 'sqlite', path: 'users.db' },
    email: { ...shipped.email, directory: 'outbox' },
    // The page of recoveries needs it.
    passwordHash: { algorithm: 'simple', serverSideHash: true },
    auth: { type: 'basic', keys: [{ application: 'bench', secret: 'a secret of the bench' }] },
  });
};

/** Startup time and idle memory. */
export const start: Section = {
  name: 'start',
  title: 'Startup and idle memory',
  explanation:
    'Time from the start of the process to the first successful read and to `/readyz`, with continuous requests, ten times; and the memory two seconds later, when the thread that writes has started, which happens a second after the service is ready.',
  run: async (bench) => {
    const database = await seededDatabase(bench, 100);
    const [bare, own]: [Turn[], Turn[]] = [[], []];
    for (let round = 0; round < starts; round++) {
      const measuresIdle = round < (bench.extent.quick ? idleRounds.quick : idleRounds.full);
      const port = await freePort();
      const folder = folderWith(bench, 'koa', database);
      const environment = { DATABASE: join(folder, 'users.db'), PORT: String(port) };
      bare.push(await turn(bench, contender('koa-sqlite', folder, environment), { port }, measuresIdle));
      const ports = { port: await freePort(), adminPort: await freePort() };
      const program = embedded(folderWith(bench, 'latchkey', database), ports);
      own.push(await turn(bench, program, ports, measuresIdle));
    }
    const times = (turns: readonly Turn[]) => turns.map(({ startMs }) => startMs);
    const idle = (turns: readonly Turn[]) =>
      turns.flatMap((each) => (each.idleBytes === undefined ? [] : each.idleBytes / 1e6));
    return {
      contenders: [],
      figures: [
        { name: 'Koa, time to the first response', unit: 'ms', values: times(bare) },
        { name: 'Latchkey, time to the first response', unit: 'ms', values: times(own) },
        { name: 'Koa, processor time to the first response', unit: 'ms', values: bare.map(({ cpuMs }) => cpuMs) },
        { name: 'Latchkey, processor time to the first response', unit: 'ms', values: own.map(({ cpuMs }) => cpuMs) },
        {
          name: 'Latchkey, processor time to readiness',
          unit: 'ms',
          values: own.flatMap(({ readyCpuMs }) => readyCpuMs ?? []),
        },
        { name: 'Koa, idle memory', unit: 'MB', values: idle(bare) },
        { name: 'Latchkey, idle memory', unit: 'MB', values: idle(own) },
      ],
      rows: [
        {
          name: 'processor time to the first response, relative to Koa',
          limit: { kind: 'at most', value: 1.3, unit: '×' },
          values: ratios(
            own.map(({ cpuMs }) => cpuMs),
            bare.map(({ cpuMs }) => cpuMs),
          ),
          cpu: [],
        },
        {
          name: 'processor time to readiness, relative to the first response of Koa',
          limit: { kind: 'at most', value: 1.3, unit: '×' },
          values: ratios(
            own.flatMap(({ readyCpuMs }) => readyCpuMs ?? []),
            bare.map(({ cpuMs }) => cpuMs),
          ),
          cpu: [],
        },
        {
          name: 'idle memory in addition to that of Koa',
          limit: { kind: 'at most', value: 15, unit: 'MB' },
          values: idle(own).map((memory, round) => memory - (idle(bare)[round] ?? Number.NaN)),
          cpu: [],
        },
      ],
      notes: ['The configuration is that of `npm start`, except for ports, password hash and throttle.'],
    };
  },
};
