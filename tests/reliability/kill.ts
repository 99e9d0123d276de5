import type { ChildProcess } from 'node:child_process';

/** How long after the change that was waited for the kill may come, in milliseconds: the next ones are under way. */
const amid = 10;

/** How long changes may take to come, in milliseconds. */
const patience = 30_000;

/** Kills a process while it works: after so many changes more than now, at some moment of the next ones. */
export const killAmid = async (child: ChildProcess, changes: () => number, more: number): Promise<void> => {
  const enough = changes() + more;
  const until = performance.now() + patience;
  while (changes() < enough) {
    if (performance.now() > until) throw new Error(`fewer than ${more} changes within ${patience} ms`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await new Promise((resolve) => setTimeout(resolve, Math.random() * amid));
  child.kill('SIGKILL');
};
