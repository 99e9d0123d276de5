import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, quick } from './bench.ts';
import { contender } from './contender.ts';
import { type Contender, turn } from './rounds.ts';

const usedMs = (): number =>
  cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);

/** How many cores programs use, counted for some milliseconds in which this process waits. */
const usedCores = async (durationMs: number): Promise<number> => {
  const before = usedMs();
  await sleep(durationMs);
  return (usedMs() - before) / durationMs;
};

/** What databases without requests use, and the machine itself. */
const maxUsedCores = 0.1;

/** Whether no other program uses the cores. Waits for some seconds for what writes to the disk after a measurement. */
export const isQuiet = async (attempts = 5): Promise<boolean> => {
  for (let attempt = 0; attempt < attempts; attempt++) if ((await usedCores(2_000)) < maxUsedCores) return true;
  return false;
};

/** A server that responds to everything with `answer`. */
export const fixedResponse = (bench: Bench, answer: string): Contender => ({
  name: 'node:http, fixed response',
  load: { operation: 'read', users: 1_000, headers: {}, connections: 32 },
  prepare: () => contender('node-http-fixed', bench.folder('fixed'), { ANSWER: answer }),
});

/** The slowest hundredth of fixed responses in relation to the median. It is 2 to 3 on a virtual machine of a quiet host. */
const maxSpread = 6;

/**
 * Why figures would be unreliable now; undefined if nothing is known. The host of a virtual machine may pause it without
 * that any program of the machine uses the CPU, which then shows in the slowest of fixed responses.
 */
export const disturbance = async (bench: Bench): Promise<string | undefined> => {
  if (!(await isQuiet())) return 'other programs used the CPU of this machine';
  const { p50, p99 } = await turn({ ...bench, extent: { ...quick, seconds: 3 } }, fixedResponse(bench, '{}'));
  return p99 > maxSpread * p50
    ? `something paused this machine: the slowest hundredth of fixed responses took ${p99} ms, the median ${p50} ms`
    : undefined;
};
