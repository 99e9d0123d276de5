import { expect } from 'chai';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { inMemoryAttempts } from '../../../../adapters/stores/rate-limited-attempts.ts';
import { Fault } from '../../../../application/fault.ts';
import { LoginThrottle } from '../../../../application/passwords/login-throttle.ts';
import {
  type Attempt,
  AttemptCounter,
  type AttemptLimits,
  type AttemptStatus,
} from '../../../../application/ports/attempt-counter.ts';
import { type EmailKey, keyOf } from '../../../../domain/email-address.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, rejection, rightOf } from '../../../../sdk/contract/outcomes.ts';

const limits: AttemptLimits = { failures: 10, clientFailures: 0, windowMs: 60_000, blockMs: 60_000 };
const jane: Attempt = { user: keyOf(addressOf('jane@example.com')), client: undefined };
const joe: Attempt = { user: keyOf(addressOf('joe@example.com')), client: undefined };

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An attempt counter in memory that is as slow as a remote one and records its writes. */
class SlowAttempts extends AttemptCounter {
  readonly written: string[] = [];
  fault: Fault | undefined;
  /** Of writes only, as of a table that is over its write capacity. */
  writeFault: Fault | undefined;
  private readonly inner: AttemptCounter;

  constructor(limits: AttemptLimits) {
    super();
    this.inner = inMemoryAttempts(limits);
  }

  async status(attempt: Attempt): Promise<AttemptStatus> {
    // The status is outdated when it arrives.
    const status = await this.inner.status(attempt);
    await turn();
    if (this.fault !== undefined) throw this.fault;
    return status;
  }

  async recordFailure(attempt: Attempt): Promise<void> {
    await turn();
    if (this.writeFault !== undefined) throw this.writeFault;
    this.written.push('failure');
    await this.inner.recordFailure(attempt);
  }

  async reset(user: EmailKey): Promise<void> {
    this.written.push('reset');
    await this.inner.reset(user);
  }

  check(): Promise<string> {
    return this.inner.check();
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

const open = (changes: Partial<AttemptLimits> = {}, timeoutMs = 60_000, countsFirst = false) => {
  const changed = { ...limits, ...changes };
  const attempts = new SlowAttempts(changed);
  const throttle = new LoginThrottle(attempts, changed, timeoutMs, countsFirst);
  const seen = { checks: 0, running: 0, most: 0 };
  const check = async () => {
    seen.checks++;
    seen.running++;
    seen.most = Math.max(seen.most, seen.running);
    await turn();
    await turn();
    seen.running--;
  };
  const wrong = async () => {
    await check();
    return false;
  };
  const well = async () => {
    await check();
    return true;
  };
  return { attempts, throttle, seen, wrong, well };
};

const times = <A>(count: number, make: () => Promise<A>): Promise<readonly A[]> =>
  Promise.all(Array.from({ length: count }, make));

describe('the login throttle', () => {
  it('returns the results of checks up to the limit, and then runs no check', async () => {
    const { throttle, seen, wrong, well } = open({ failures: 3 });
    for (let count = 0; count < 3; count++) {
      expect(rightOf(await throttle.run(jane, wrong))).to.equal(false);
    }
    expect(leftOf(await throttle.run(jane, well))).to.deep.equal({
      code: 'too_many_attempts',
      retryAfterSeconds: 60,
    });
    expect(seen.checks).to.equal(3);
    expect(rightOf(await throttle.run(joe, well))).to.equal(true);
  });

  it('reports the remaining time in seconds, rounded up', async () => {
    const { throttle, wrong } = open({ failures: 1, blockMs: 1_500 });
    await throttle.run(jane, wrong);
    expect(leftOf(await throttle.run(jane, wrong)).retryAfterSeconds).to.equal(2);
  });

  const cases = [false, true].flatMap((first) => [1, 3, 10, 30].map((failures) => ({ first, failures })));
  for (const { first, failures } of cases) {
    const when = first ? 'before' : 'after';
    it(`runs ${failures} of 64 concurrent checks of wrong passwords with a limit of ${failures}, counted ${when} the check`, async () => {
      const { throttle, seen, wrong } = open({ failures }, 60_000, first);
      const outcomes = await times(64, () => throttle.run(jane, wrong));
      expect(outcomes.filter((outcome) => isRight(outcome) && !outcome.right)).to.have.length(failures);
      const refused = outcomes.filter(isLeft).map(({ left }) => left.code);
      expect(refused).to.deep.equal(Array.from({ length: 64 - failures }, () => 'too_many_attempts'));
      expect(seen.checks).to.equal(failures);
    });
  }

  it('accepts any number of concurrent correct passwords, four at a time, without a write', async () => {
    const { attempts, throttle, seen, well } = open();
    for (const outcome of await times(64, () => throttle.run(jane, well))) expect(rightOf(outcome)).to.equal(true);
    expect(seen.most).to.equal(4);
    expect(attempts.written).to.deep.equal([]);
  });

  it('does not let users wait for the checks of another one', async () => {
    const { throttle, seen, well } = open();
    const users = Array.from({ length: 16 }, (_, count) => keyOf(addressOf(`user-${count}@example.com`)));
    await Promise.all(users.map((user) => throttle.run({ user, client: undefined }, well)));
    expect(seen.most).to.equal(16);
  });

  it('forgets the failures of a user after a correct password', async () => {
    const { attempts, throttle, wrong, well } = open({ failures: 3 });
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 2; count++) await throttle.run(jane, wrong);
      expect(rightOf(await throttle.run(jane, well))).to.equal(true);
    }
    expect(attempts.written.filter((what) => what === 'reset')).to.have.length(3);
  });

  it('does not count a check that throws', async () => {
    const { attempts, throttle, well } = open({ failures: 1 });
    const overloaded = new Fault('overloaded', 'too many checks');
    const check = () => Promise.reject(overloaded);
    expect(await rejection(throttle.run(jane, check))).to.equal(overloaded);
    expect(attempts.written).to.deep.equal([]);
    expect(rightOf(await throttle.run(jane, well))).to.equal(true);
  });

  it('runs no check after the timeout', async () => {
    const { throttle } = open({}, 20);
    let done = (): void => {};
    const long = new Promise<void>((resolve) => {
      done = resolve;
    });
    const check = async () => {
      await long;
      return true;
    };
    const checked = times(4, () => throttle.run(jane, check));
    const late = rejection(throttle.run(jane, () => expect.fail('a check that came too late')));
    setTimeout(done, 40);
    for (const outcome of await checked) expect(rightOf(outcome)).to.equal(true);
    expect(await late).to.include({ code: 'overloaded' });
  });

  it('rejects waiting checks if the counter fails, and recovers', async () => {
    const { attempts, throttle, well } = open();
    const first = times(32, () => throttle.run(jane, well).catch((error: unknown) => error));
    await turn();
    attempts.fault = new Fault('store_unavailable', 'down');
    const outcomes = await first;
    expect(outcomes.filter((outcome) => outcome === attempts.fault)).to.have.length.above(0);
    attempts.fault = undefined;
    expect(rightOf(await throttle.run(jane, well))).to.equal(true);
  });

  describe('while counts can be read and not written', () => {
    const down = new Fault('store_unavailable', 'too many writes');
    const from = (user: string, client?: string): Attempt => ({ user: keyOf(addressOf(user)), client });

    const openReadOnly = (changes: Partial<AttemptLimits> = {}) => {
      const opened = open(changes);
      opened.attempts.writeFault = down;
      const guess = async (attempt: Attempt) =>
        expect(await rejection(opened.throttle.run(attempt, opened.wrong))).to.equal(down);
      return { ...opened, guess };
    };

    it('checks no password of a user after a wrong one that is not counted, and counts it later', async () => {
      const { attempts, throttle, seen, guess, well } = openReadOnly();
      for (let count = 0; count < 60; count++) await guess(jane);
      expect(await rejection(throttle.run(jane, well))).to.equal(down);
      expect(seen.checks).to.equal(1);
      attempts.writeFault = undefined;
      expect(rightOf(await throttle.run(jane, well))).to.equal(true);
      expect(attempts.written).to.deep.equal(['failure', 'reset']);
    });

    for (const failures of [1, 3, 10])
      it(`runs no more concurrent checks than ${failures} failures allow, and counts each once`, async () => {
        const { attempts, seen, guess, throttle, wrong } = openReadOnly({ failures });
        await times(64, () => guess(jane));
        const checked = Math.min(failures, 4);
        expect(seen.checks).to.equal(checked);
        attempts.writeFault = undefined;
        const outcomes = await times(64, () => throttle.run(jane, wrong));
        expect(outcomes.filter(isRight)).to.have.length(failures - checked);
        expect(seen.checks).to.equal(failures);
        expect(attempts.written).to.have.length(failures);
      });

    it('does not let a client address guess for one user after the other', async () => {
      const { attempts, throttle, seen, guess, well } = openReadOnly({ clientFailures: 5 });
      const client = '192.0.2.7';
      for (let count = 0; count < 20; count++) await guess(from(`user-${count}@example.com`, client));
      expect(seen.checks).to.equal(1);
      attempts.writeFault = undefined;
      expect(rightOf(await throttle.run(from('joe@example.com', client), well))).to.equal(true);
      expect(attempts.written).to.deep.equal(['failure']);
    });

    it('still checks the passwords of other users from other addresses', async () => {
      const { throttle, guess, well } = openReadOnly({ clientFailures: 5 });
      await guess(from('jane@example.com', '192.0.2.7'));
      expect(rightOf(await throttle.run(from('joe@example.com', '192.0.2.8'), well))).to.equal(true);
    });

    it('checks no password at all after a thousand wrong ones that are not counted', async () => {
      const { attempts, throttle, seen, guess, well } = openReadOnly();
      for (let count = 0; count < 1_100; count++) await guess(from(`user-${count}@example.com`));
      expect(seen.checks).to.equal(1_000);
      expect(await rejection(throttle.run(joe, well))).to.equal(down);
      attempts.writeFault = undefined;
      expect(rightOf(await throttle.run(joe, well))).to.equal(true);
    });

    it('fails its check as long as a wrong password is not counted', async () => {
      const { attempts, throttle, guess } = openReadOnly();
      expect(await throttle.check()).to.equal('wrong passwords are counted in memory');
      await guess(jane);
      expect(await rejection(throttle.check())).to.equal(down);
      attempts.writeFault = undefined;
      expect(await throttle.check()).to.equal('wrong passwords are counted in memory');
      expect(await attempts.status(jane)).to.include({ failures: 1 });
    });
  });

  describe('that counts before the check', () => {
    it('checks nothing while counts can be read and not written, so that no guess is free', async () => {
      const { attempts, throttle, seen, wrong } = open({ failures: 3 }, 60_000, true);
      attempts.writeFault = new Fault('store_unavailable', 'too many writes');
      for (let guess = 0; guess < 10; guess++)
        expect(await rejection(throttle.run(jane, wrong))).to.equal(attempts.writeFault);
      expect(seen.checks).to.equal(0);
      attempts.writeFault = undefined;
      expect(rightOf(await throttle.run(jane, wrong))).to.equal(false);
      // What was not checked is not counted.
      expect(attempts.written).to.deep.equal(['failure']);
    });

    it('runs a check with the last attempt that is left, and forgets it if it is right', async () => {
      const { attempts, throttle, wrong, well } = open({ failures: 2 }, 60_000, true);
      expect(rightOf(await throttle.run(jane, wrong))).to.equal(false);
      expect(rightOf(await throttle.run(jane, well))).to.equal(true);
      expect(await attempts.status(jane)).to.deep.include({ failures: 0, blockedForMs: 0 });
    });

    it('counts wrong ones alone for the client address, and once for the user', async () => {
      const { attempts, throttle, wrong, well } = open({ failures: 9, clientFailures: 2 }, 60_000, true);
      const behind = { ...jane, client: '203.0.113.7' };
      for (let count = 0; count < 3; count++) expect(rightOf(await throttle.run(behind, well))).to.equal(true);
      expect(rightOf(await throttle.run(behind, wrong))).to.equal(false);
      expect(await attempts.status(behind)).to.deep.include({ failures: 1, blockedForMs: 0 });
      expect(rightOf(await throttle.run(behind, wrong))).to.equal(false);
      expect(leftOf(await throttle.run({ ...joe, client: behind.client }, well)).code).to.equal('too_many_attempts');
      expect(rightOf(await throttle.run(jane, well))).to.equal(true);
    });
  });
});
