import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { headers, latchkey, program } from './latchkey.ts';
import { sendReads } from './load/reads.ts';
import { root } from './machine.ts';
import { Server } from './server.ts';
import { median } from './statistics.ts';
import { createUsers, pathOf } from './users.ts';

const users = 1_000;
const paths = Array.from({ length: users }, (_, user) => pathOf(user));
const connections = 32;
/** New processes, because V8 optimizes each one a little differently. */
const rounds = 3;
/** Reads until V8 has compiled everything. */
const warmUp = 40_000;
/** The turns of each process in a round, and the reads of a turn: short, so that both meet the same noise. */
const turns = 20;
const count = 2_500;

const outputOf = (command: string, args: readonly string[], folder = root): string => {
  const { status, stdout, error } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
  });
  if (error !== undefined || status !== 0) throw new Error(`${command} ${args[0]} failed`);
  return stdout.trim();
};

const resultsFile = 'benchmarks/results.json';

const savedReads = (commit: string): string =>
  JSON.stringify(JSON.parse(outputOf('git', ['show', `${commit}:${resultsFile}`])).read);

/** The commit that saved the figures of reads, after which others may have saved those of other sections. */
const commitOfSavedReads = (): string => {
  if (outputOf('git', ['rev-parse', '--is-shallow-repository']) === 'true')
    throw new Error('this clone has no history');
  const [newest = '', ...older] = outputOf('git', ['log', '--format=%H', '--', resultsFile]).split('\n');
  const reads = savedReads(newest);
  let oldest = newest;
  for (const commit of older) {
    if (savedReads(commit) !== reads) break;
    oldest = commit;
  }
  return oldest;
};

/**
 * Builds the commit that saved the figures of reads, with its packages. Returns its program. Throws without the history of
 * the repository, and if its packages cannot be installed.
 */
export const buildOfSavedFigures = (bench: Bench): string => {
  const commit = commitOfSavedReads();
  const folder = bench.folder('saved');
  outputOf('git', ['archive', '--output', join(folder, 'source.tar'), commit]);
  outputOf('tar', ['-xf', 'source.tar'], folder);
  const [installed, needed] = [root, folder].map((place) => readFileSync(join(place, 'package-lock.json'), 'utf8'));
  if (installed === needed) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else outputOf('npm', ['ci', '--silent', '--prefer-offline', '--no-audit'], folder);
  outputOf(process.execPath, ['tools/build.js'], folder);
  bench.log(`  built ${commit}`);
  return join(folder, 'dist', 'latchkey.cjs');
};

/** Microseconds of CPU time for each read of a turn. */
const costOf = async (server: Server): Promise<number> => {
  const before = server.threadSeconds();
  await sendReads(server.url, paths, headers, { count, connections });
  return ((server.threadSeconds() - before) / count) * 1e6;
};

const started = async (bench: Bench, build: string): Promise<Server> => {
  const server = await Server.start(bench.machine, latchkey(bench.folder('cost'), {}, { build }));
  await createUsers(server.url, users);
  await sendReads(server.url, paths, headers, { count: warmUp, connections });
  return server;
};

/**
 * The CPU time of a read in relation to that of another build, whose program is `saved`: the median of turns that alternate.
 * `build` is the program that is compared, this build by default. Two builds of one program have the same ratio on any
 * machine. Other servers do not: that to Koa doubles on a busy one.
 */
export const readCost = async (bench: Bench, saved: string, build = program): Promise<number> => {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const [own, other] = [await started(bench, build), await started(bench, saved)];
    for (let turn = 0; turn < turns; turn++) {
      // In both orders, so that what one leaves in the caches serves both.
      const first = turn % 2 === 0 ? await costOf(own) : undefined;
      const reference = await costOf(other);
      ratios.push((first ?? (await costOf(own))) / reference);
    }
    await Promise.all([own.stop(), other.stop()]);
  }
  return median(ratios);
};
