import { rmSync } from 'node:fs';
import type { Bench } from './bench.ts';
import { type Load, send } from './load/load.ts';
import type { Cores } from './machine.ts';
import type { ContenderRuns, Measured, Row } from './results.ts';
import { type Program, Server } from './server.ts';
import { ratios } from './statistics.ts';

/** A server that takes part in the rounds of a section. */
export interface Contender {
  readonly name: string;
  readonly load: Load;
  /** The cores of the load generator; its own core by default. */
  readonly loadCores?: Cores;
  /** Creates a folder, database and configuration for a new start. */
  prepare(): Promise<Program> | Program;
}

/**
 * How often the load is sent before the measured one. Twice, because V8 compiles much of the code anew when the
 * connections of the first load are closed, which makes the slowest hundredth of responses ten times slower. More often
 * if the server is slow: V8 compiles code by how often it ran, not after a time.
 */
export const warmUps = { least: 2, most: 4 };

/** Measures a running server under load after a warm-up. */
export const measure = async (
  { machine, extent }: Bench,
  server: Server,
  load: Load,
  cores: Cores = 'load',
): Promise<Measured> => {
  let warmed = 0;
  for (let sent = 0; sent < warmUps.least || (sent < warmUps.most && warmed < extent.warmUpRequests); sent++)
    warmed += (await send(machine, server.url, load, extent.warmUpSeconds, cores)).requests;
  const before = server.cpuSeconds();
  const { requests, seconds, p50, p99 } = await send(machine, server.url, load, extent.seconds, cores);
  const cpu = ((server.cpuSeconds() - before) / requests) * 1e6;
  return { perSecond: requests / seconds, p50, p99, cpu };
};

/** Starts a server for one measurement, after which `observe` may look at it. */
export const turn = async (
  bench: Bench,
  { name, prepare, load, loadCores }: Contender,
  observe?: (server: Server) => void,
): Promise<Measured> => {
  const program = await prepare();
  const server = await Server.start(bench.machine, program);
  try {
    const measured = await measure(bench, server, load, loadCores);
    observe?.(server);
    bench.log(`    ${name}, ${load.connections} connections: ${Math.round(measured.perSecond)} requests/s`);
    return measured;
  } finally {
    await server.stop();
    rmSync(program.folder, { recursive: true });
  }
};

/**
 * Runs rounds in which every server has a turn, with a new process and new files. `observe` may look at each server after
 * its load.
 */
export const interleave = async (
  bench: Bench,
  contenders: readonly Contender[],
  observe?: (name: string, server: Server) => void,
): Promise<readonly ContenderRuns[]> => {
  const results = contenders.map(({ name, load }) => ({ name, connections: load.connections, runs: [] as Measured[] }));
  for (let round = 1; round <= bench.extent.rounds; round++) {
    bench.log(`  round ${round} of ${bench.extent.rounds}`);
    for (const [index, each] of contenders.entries())
      results[index]?.runs.push(await turn(bench, each, (server) => observe?.(each.name, server)));
  }
  return results;
};

/** The runs of a server; throws if there is none with this name. */
export const runsOf = (all: readonly ContenderRuns[], name: string): readonly Measured[] => {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no contender is called ${name}`);
  return found.runs;
};

/** A row whose target is a share of the throughput of a reference. */
export const throughputRow = (
  all: readonly ContenderRuns[],
  name: string,
  contender: string,
  reference: string,
  atLeast: number,
): Row => {
  const [own, others] = [runsOf(all, contender), runsOf(all, reference)];
  const take = (figure: (run: Measured) => number, one: readonly Measured[], other: readonly Measured[]) =>
    ratios(one.map(figure), other.map(figure));
  return {
    name,
    limit: { kind: 'at least', value: atLeast, unit: '×' },
    values: take((run) => run.perSecond, own, others),
    // Inverted, because less CPU time means more requests.
    cpu: take((run) => run.cpu, others, own),
  };
};

const answerOf = async (bench: Bench, path: string, { prepare, load }: Contender): Promise<string> => {
  const server = await Server.start(bench.machine, await prepare());
  try {
    const response = await fetch(`${server.url}${path}`, { headers: load.headers });
    return await response.text();
  } finally {
    await server.stop();
  }
};

/** Requires that all servers send the same bytes, and returns them. */
export const requireSameAnswer = async (
  bench: Bench,
  path: string,
  contenders: readonly Contender[],
): Promise<string> => {
  const answers = await Promise.all(
    contenders.map(async (each) => [each.name, await answerOf(bench, path, each)] as const),
  );
  const [[, expected] = ['', '']] = answers;
  for (const [name, answer] of answers) {
    if (answer !== expected)
      throw new Error(`the response of ${name} differs from the others: ${answer.slice(0, 200)}`);
  }
  return expected;
};
