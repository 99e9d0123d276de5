import { expect } from 'chai';
import type { WorkQueue } from '../../../adapters/hashes/work-queue.ts';

/** Expects the answer no within 50 ms, and no job for it in the queue at any time. */
export const expectNoWork = async (queue: WorkQueue, check: () => Promise<boolean>): Promise<void> => {
  const began = performance.now();
  const answer = check();
  expect(queue.active + queue.length).to.equal(0);
  expect(await answer).to.equal(false);
  expect(performance.now() - began).to.be.below(50);
};
