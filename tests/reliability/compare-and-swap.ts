import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Installation, type Serving } from '../process/installation.ts';
import { at, Caller, type HttpResponse } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import { kill, killDuringChanges } from './kill.ts';
import type { RandomStream } from './random.ts';

const address = 'counter@example.com';
const headers = { password: 'a password of the counter test' };
const writers = 64;
const maxPauseMs = 100;

const countOf = ({ status, body }: HttpResponse): number => {
  expect(status, body).to.equal(200);
  return Number(JSON.parse(body).count);
};

/** The increments of all writers. One without a response may or may not have been made. */
class Increments {
  acknowledged = 0;
  withoutResponse = 0;
  refused = 0;

  /** Increments the counter until the service is killed: reads it, adds one, and writes it if it has not changed. */
  async makeUntilKilled(caller: Caller, random: RandomStream): Promise<void> {
    for (;;) {
      const read = await caller.call('GET', at(address), undefined, headers);
      if (read === undefined) return;
      const body = { email: { address }, count: countOf(read) + 1 };
      const written = await caller.call('PUT', at(address), body, {
        ...headers,
        'If-Match': String(read.headers.etag),
      });
      if (written === undefined) {
        this.withoutResponse += 1;
        return;
      }
      expect(written.status, written.body).to.be.oneOf([200, 412]);
      if (written.status === 200) this.acknowledged += 1;
      else this.refused += 1;
      // So that the writers do not all read the same version again.
      await sleep(random.next() * maxPauseMs);
    }
  }

  async killDuring(serving: Serving, random: RandomStream): Promise<void> {
    const caller = new Caller(serving.url);
    const working = Array.from({ length: writers }, (_, writer) =>
      this.makeUntilKilled(caller, random.stream('writer', writer)),
    );
    const killing = killDuringChanges(serving.run.child, () => this.acknowledged, kill(random.stream('kill'), 10, 50));
    await Promise.all([killing, ...working]);
    expect(await serving.run.ended).to.equal('SIGKILL');
    caller.close();
  }
}

const storedCount = async ({ url }: Serving): Promise<number> => {
  const caller = new Caller(url);
  const read = await caller.call('GET', at(address), undefined, headers);
  caller.close();
  if (read === undefined) throw new Error('no response');
  return countOf(read);
};

/**
 * A round kills the service while clients increment one counter with If-Match, restarts it, and compares the counts.
 */
export const compareAndSwap: Guarantee = {
  name: 'increments of a counter by 64 clients with If-Match are neither lost nor made twice, also when the service is killed',
  rounds: { short: 3, long: 100 },
  timeoutMs: 120_000,
  run: async (rounds, random) => {
    const installation = await Installation.create();
    try {
      await installation.configure();
      let serving = await installation.serve();
      const caller = new Caller(serving.url);
      await caller.call('POST', '/users', { email: { address }, password: headers.password, count: 0 });
      caller.close();
      const increments = new Increments();
      for (let round = 0; round < rounds; round++) {
        await increments.killDuring(serving, random.stream('round', round));
        serving = await installation.serve();
        const { acknowledged, withoutResponse } = increments;
        expect(await storedCount(serving)).to.be.within(acknowledged, acknowledged + withoutResponse);
      }
      const { acknowledged, refused, withoutResponse } = increments;
      const count = await storedCount(serving);
      return `${rounds} kills, ${acknowledged} acknowledged increments, ${refused} refused with 412, ${withoutResponse} without a response, counter at ${count}`;
    } finally {
      await installation.dispose();
    }
  },
};
