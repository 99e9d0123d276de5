import { expect } from 'chai';
import type { WorkQueue } from '../../../../adapters/concurrency/work-queue.ts';

/** Expects `verify` to return false without a job in the queue, in less than 50 ms of processor time. */
export const expectNoHash = async (queue: WorkQueue, verify: () => Promise<boolean>): Promise<void> => {
  const startUsage = process.cpuUsage();
  const verified = verify();
  expect(queue.active + queue.length).to.equal(0);
  expect(await verified).to.equal(false);
  const { user, system } = process.cpuUsage(startUsage);
  expect((user + system) / 1_000).to.be.below(50);
};
