import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Installation, program, type Serving } from '../process/installation.ts';
import type { RandomStream } from './random.ts';

/** Maximal random delay of the kill, so that it hits the following changes at different moments. */
const maxDelayMs = 10;

const timeoutMs = 30_000;

/** When a process is killed: after a number of further changes, and a delay. */
export interface Kill {
  readonly changes: number;
  readonly delayMs: number;
}

/** Chooses a kill after more than `least` and at most `most` changes. */
export const kill = (random: RandomStream, least: number, most: number): Kill => ({
  changes: least + 1 + random.below(most - least),
  delayMs: random.next() * maxDelayMs,
});

/** Kills a process after further changes, in the middle of the next ones. */
export const killDuringChanges = async (
  child: Pick<ChildProcess, 'kill'>,
  changes: () => number,
  chosen: Kill,
): Promise<void> => {
  const enough = changes() + chosen.changes;
  const until = performance.now() + timeoutMs;
  while (changes() < enough) {
    if (performance.now() > until) throw new Error(`fewer than ${chosen.changes} changes within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await new Promise((resolve) => setTimeout(resolve, chosen.delayMs));
  child.kill('SIGKILL');
};

/** The kill of a service in one round. */
export interface PlannedKill {
  serve(installation: Installation): Promise<Serving>;
  /** Resolves when the service was killed, after some changes or when it made them. */
  killed(serving: Serving, changes: () => number): Promise<void>;
}

/** Kills the service in the middle of changes, after a random number of them. */
export const afterChanges = (random: RandomStream, least: number, most: number): PlannedKill => {
  const chosen = kill(random, least, most);
  return {
    serve: (installation) => installation.serve(),
    killed: ({ run }, changes) => killDuringChanges(run.child, changes, chosen),
  };
};

/** Kills a service before or after a random run of something, in the program that is preloaded into it. */
const at = (random: RandomStream, starts: readonly string[], preload: string): PlannedKill => {
  const chosen = { start: random.pick(starts), runs: 1 + random.below(20), isAfter: random.chance(0.5) };
  const flags = ['--import', fileURLToPath(new URL(preload, import.meta.url))];
  return {
    serve: (installation) => installation.serve({ KILL_AT: JSON.stringify(chosen) }, program, flags),
    killed: async ({ run }) => {
      // Ends the service with another signal, which fails the test, if it does not get there.
      const timer = setTimeout(() => run.child.kill('SIGTERM'), timeoutMs);
      await run.ended;
      clearTimeout(timer);
    },
  };
};

/**
 * Kills a service on SQLite before or after a random run of one of some statements, which are named by the start of their
 * SQL. A seed repeats this exactly, in contrast to a delay: between the same two writes.
 */
export const atStatement = (random: RandomStream, statements: readonly string[]): PlannedKill =>
  at(random, statements, 'kill-at-statement.js');

/** Kills a service before it sends one of some texts to a database on the network, or before it reads the reply. */
export const atSend = (random: RandomStream, texts: readonly string[]): PlannedKill =>
  at(random, texts, 'kill-at-send.js');
