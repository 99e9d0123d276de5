import { expect } from 'chai';
import type { WorkQueue } from '../../../../adapters/password-hashes/work-queue.ts';

/**
 * Expects the answer no for less than 50 ms of processor time, because other programs share the machine, and no job for
 * it in the queue at any time.
 */
export const expectNoWork = async (queue: WorkQueue, check: () => Promise<boolean>): Promise<void> => {
  const began = process.cpuUsage();
  const answer = check();
  expect(queue.active + queue.length).to.equal(0);
  expect(await answer).to.equal(false);
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1_000).to.be.below(50);
};
