import { expect } from 'chai';
import { createUser, Installation } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import { serveMeasured, usageOf } from './resource-usage.ts';

const address = 'frozen@example.com';
const password = 'a password of the freeze';
const clients = 300;
/** How long the clients of a frozen service wait before they close the connection and send the request again. */
const clientTimeoutMs = 1_000;

/** Sends requests until it is told to stop. Resolves with the number of responses. */
const sendUntil = async (url: string, isOver: () => boolean): Promise<number> => {
  const caller = new Caller(url, clientTimeoutMs);
  let responses = 0;
  while (!isOver()) {
    const answer = await caller.call('GET', at(address), undefined, { password });
    if (answer !== undefined) responses++;
  }
  caller.close();
  return responses;
};

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Freezes the service under load, so that requests wait whose clients have given up. A round is a freeze of three
 * seconds.
 */
export const frozenService: Guarantee = {
  name: 'a service that was frozen under load keeps nothing of the requests that waited meanwhile',
  rounds: { short: 2, long: 10 },
  timeoutMs: 60_000,
  run: async (rounds) => {
    const installation = await Installation.create();
    try {
      await installation.configure();
      const serving = await serveMeasured(installation);
      expect(await createUser(serving.url, address, password)).to.equal(201);
      const load = async (during: () => Promise<void>): Promise<number> => {
        let isOver = false;
        const sending = Promise.all(Array.from({ length: clients }, () => sendUntil(serving.url, () => isOver)));
        await during();
        isOver = true;
        return (await sending).reduce((sum, responses) => sum + responses, 0);
      };
      await load(() => sleep(2_000));
      const before = await usageOf(serving);
      let responses = 0;
      for (let round = 0; round < rounds; round++) {
        responses += await load(async () => {
          serving.run.child.kill('SIGSTOP');
          await sleep(3_000);
          serving.run.child.kill('SIGCONT');
          await sleep(2_000);
        });
      }
      const after = await usageOf(serving);
      expect(responses, 'responses after the freeze').to.be.greaterThan(0);
      expect(after.memory - before.memory, 'MiB more').to.be.lessThan(3);
      expect(await serving.stop()).to.equal(0);
      return `${rounds} freezes of 3 s, ${clients} clients: ${(after.memory - before.memory).toFixed(1)} MiB more in the heap after a collection`;
    } finally {
      await installation.dispose();
    }
  },
};
