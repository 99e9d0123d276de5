import { fileURLToPath } from 'node:url';
import { type Installation, program, type Serving } from '../process/installation.ts';

/** Resource usage of a service process. */
export interface Usage {
  /** Memory after a garbage collection, in MiB. */
  readonly memory: number;
  /** Peak resident memory since the start, in MiB. */
  readonly peak: number;
  /** Processor time since the start, in milliseconds. */
  readonly processor: number;
}

/** Starts a service whose usage `usageOf` can read. */
export const serveMeasured = (installation: Installation): Promise<Serving> => {
  const preload = fileURLToPath(new URL('report-usage.js', import.meta.url));
  return installation.serve({}, program, ['--expose-gc', '--import', preload]);
};

/** Reads the usage of a service started by `serveMeasured`. */
export const usageOf = async ({ run }: Serving): Promise<Usage> => {
  const seen = run.stderr.length;
  const report = /memory (\d+) peak (\d+) processor (\d+)\n/;
  run.child.kill('SIGUSR2');
  await run.until(() => report.test(run.stderr.slice(seen)));
  const [memory = 0, peak = 0, processor = 0] = (report.exec(run.stderr.slice(seen)) ?? []).slice(1).map(Number);
  return { memory: memory / 2 ** 20, peak: peak / 2 ** 20, processor: processor / 1_000 };
};
