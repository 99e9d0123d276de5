import { fileURLToPath } from 'node:url';
import { type Installation, program, type Serving } from '../process/installation.ts';

/** What a service has used, as seen from inside its process. */
export interface Usage {
  /** In use after a garbage collection, in MiB. */
  readonly memory: number;
  /** The most memory that was resident since the start, in MiB. It never falls. */
  readonly peak: number;
  /** The processor time since the start, in milliseconds. */
  readonly processor: number;
}

/** Starts a service that `usageOf` can ask. */
export const serveMeasured = (installation: Installation): Promise<Serving> => {
  const preload = fileURLToPath(new URL('memory.js', import.meta.url));
  return installation.serve({}, program, ['--expose-gc', '--import', preload]);
};

/** Asks a service of `serveMeasured` what it has used so far. */
export const usageOf = async ({ run }: Serving): Promise<Usage> => {
  const seen = run.stderr.length;
  const report = /memory (\d+) peak (\d+) processor (\d+)\n/;
  run.child.kill('SIGUSR2');
  await run.until(() => report.test(run.stderr.slice(seen)));
  const [memory = 0, peak = 0, processor = 0] = (report.exec(run.stderr.slice(seen)) ?? []).slice(1).map(Number);
  return { memory: memory / 2 ** 20, peak: peak / 2 ** 20, processor: processor / 1_000 };
};
