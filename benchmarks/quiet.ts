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

/** By how much the speed of this machine may differ before and after a section. It is 1.1 on a quiet host. */
const maxDrift = 1.3;

/** The state of the machine at one moment: requests per second with a fixed response, and what disturbs measurements. */
export interface MachineState {
  readonly perSecond: number;
  readonly disturbance: string | undefined;
}

/**
 * Finds out whether figures would be unreliable now. The host of a virtual machine may pause it without that any program of
 * the machine uses the CPU, which then shows in the slowest of fixed responses.
 */
export const machineState = async (bench: Bench): Promise<MachineState> => {
  if (!(await isQuiet())) return { perSecond: 0, disturbance: 'other programs used the CPU of this machine' };
  const quickBench = { ...bench, extent: { ...quick, seconds: 3 } };
  const { perSecond, p50, p99 } = await turn(quickBench, fixedResponse(bench, '{}'));
  const disturbance =
    p99 > maxSpread * p50
      ? `something paused this machine: the slowest hundredth of fixed responses took ${p99} ms, the median ${p50} ms`
      : undefined;
  return { perSecond, disturbance };
};

/** Why what was measured between two states is unreliable; undefined if nothing is known. */
export const disturbanceBetween = (before: MachineState, after: MachineState): string | undefined => {
  const known = before.disturbance ?? after.disturbance;
  if (known !== undefined) return known;
  const speeds = [before.perSecond, after.perSecond].map(Math.round);
  return Math.max(...speeds) > maxDrift * Math.min(...speeds)
    ? `the speed of this machine changed: it gave ${speeds.join(', then ')} fixed responses per second`
    : undefined;
};
