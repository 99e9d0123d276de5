import type { ChildProcess } from 'node:child_process';

/** Maximal random delay of the kill, so that it hits the following changes at different moments. */
const maxDelayMs = 10;

const timeoutMs = 30_000;

/** Kills a process after `more` further changes, in the middle of the next ones. */
export const killDuringChanges = async (child: ChildProcess, changes: () => number, more: number): Promise<void> => {
  const enough = changes() + more;
  const until = performance.now() + timeoutMs;
  while (changes() < enough) {
    if (performance.now() > until) throw new Error(`fewer than ${more} changes within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await new Promise((resolve) => setTimeout(resolve, Math.random() * maxDelayMs));
  child.kill('SIGKILL');
};
