import { expect } from 'chai';
import { right } from 'fp-ts/lib/Either.js';
import { LoginThrottle } from '../../application/passwords/login-throttle.ts';
import type { Attempt, AttemptCounter, AttemptLimits } from '../../application/ports/attempt-counter.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { ConfiguredSignUpRules } from '../../application/sign-up/sign-up-rules.ts';
import { addressOf } from '../../sdk/contract/arbitraries.ts';
import { faultOf } from '../../sdk/contract/outcomes.ts';

/** The attempt counters of two stores on the same database, as two instances of the service have them. */
export interface SharedCounters {
  readonly one: AttemptCounter;
  readonly other: AttemptCounter;
  close(): Promise<void>;
}

/** The attempt counter of a store; throws when the store has none. */
export const counterOf = async (store: StorePorts | undefined, limits: AttemptLimits): Promise<AttemptCounter> => {
  const counter = await store?.attempts?.(limits);
  if (counter === undefined) throw new Error('the store has no attempt counter');
  return counter;
};

export const countersOf = async (
  [one, other]: readonly StorePorts[],
  limits: AttemptLimits,
): Promise<SharedCounters> => {
  const [first, second] = [await counterOf(one, limits), await counterOf(other, limits)];
  return {
    one: first,
    other: second,
    close: async () => {
      await Promise.all([first.close(), second.close()]);
    },
  };
};

/** Expects that at most one password is checked while a counter can be read and not written, and that it is counted later. */
export const expectNoFreeGuesses = async (
  attempts: AttemptCounter,
  limits: AttemptLimits,
  { refuseWrites, acceptWrites }: { refuseWrites(): Promise<unknown>; acceptWrites(): Promise<unknown> },
): Promise<void> => {
  const throttle = new LoginThrottle(attempts, limits, 30_000);
  const attempt: Attempt = { user: 'jane@example.com', client: '192.0.2.7' };
  let checks = 0;
  const guess = (isRight: boolean) => {
    const check = async () => {
      checks++;
      return isRight;
    };
    return throttle.run(attempt, check);
  };
  expect(await guess(false)).to.deep.equal(right(false));
  await refuseWrites();
  expect(await attempts.status(attempt)).to.deep.equal({ blockedForMs: 0, failures: 1 });
  for (let count = 0; count < 3; count++) await faultOf(guess(false));
  await faultOf(guess(true));
  await faultOf(throttle.check());
  expect(checks).to.equal(2);
  await acceptWrites();
  await throttle.check();
  expect(await attempts.status(attempt)).to.deep.equal({ blockedForMs: 0, failures: 2 });
  expect(await guess(true)).to.deep.equal(right(true));
  expect((await attempts.status(attempt)).failures).to.equal(0);
};

/** Expects that a client address whose count of sign-ups `damage` has damaged may sign up as often as a new one. */
export const expectSignUpsAfter = async (clients: AttemptCounter, damage: () => Promise<unknown>): Promise<void> => {
  const policy = { allowedDomains: null, blockedDomains: null };
  const rules = new ConfiguredSignUpRules(policy, clients);
  const address = addressOf('jane@example.com');
  expect(await rules.admit(address, '192.0.2.7')).to.deep.equal(right(address));
  await damage();
  expect(await rules.admit(address, '192.0.2.7')).to.deep.equal(right(address));
  expect((await clients.status({ user: '192.0.2.7', client: undefined })).failures).to.equal(1);
};
