import { expect } from 'chai';
import { Installation, type Serving } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import type { RandomStream } from './random.ts';

const clients = 16;
const password = 'a password of the stop';

interface Tally {
  answered: number;
  dropped: string[];
}

/** Calls until the service accepts no more connections. Records every accepted request without a response. */
const callUntilGone = async (caller: Caller, client: number, tally: Tally): Promise<void> => {
  for (let step = 0; ; step++) {
    const address = `client-${client}-${step}@example.com`;
    const creates = step % 2 === 0;
    const outcome = await caller.attempt(
      creates ? 'POST' : 'GET',
      creates ? '/users' : at(`client-${client}-${step - 1}@example.com`),
      creates ? { email: { address }, password } : undefined,
      { password },
    );
    if (typeof outcome !== 'string') {
      expect(outcome.status).to.equal(creates ? 201 : 200);
      tally.answered += 1;
      continue;
    }
    if (outcome !== 'refused') tally.dropped.push(`${creates ? 'POST' : 'GET'}: ${outcome}`);
    return;
  }
};

const stopUnderLoad = async (serving: Serving, tally: Tally, random: RandomStream): Promise<void> => {
  const callers = Array.from({ length: clients }, () => new Caller(serving.url));
  const calling = callers.map((caller, client) => callUntilGone(caller, client, tally));
  setTimeout(() => serving.run.child.kill('SIGTERM'), 100 + random.next() * 200);
  const started = performance.now();
  expect(await serving.run.ended).to.equal(0);
  expect(performance.now() - started).to.be.lessThan(5_000);
  await Promise.all(calling);
  for (const caller of callers) caller.close();
};

/** A round sends SIGTERM to a service while clients call it. */
export const gracefulShutdown: Guarantee = {
  name: 'SIGTERM under load drops no accepted request, and the process exits with 0',
  rounds: { short: 3, long: 100 },
  timeoutMs: 60_000,
  run: async (rounds, random) => {
    const tally: Tally = { answered: 0, dropped: [] };
    for (let round = 0; round < rounds; round++) {
      const installation = await Installation.create();
      try {
        await installation.configure();
        await stopUnderLoad(await installation.serve(), tally, random);
      } finally {
        await installation.dispose();
      }
    }
    expect(tally.dropped).to.deep.equal([]);
    return `${rounds} stops, ${tally.answered} requests answered, 0 dropped`;
  },
};
