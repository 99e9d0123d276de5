import { expect } from 'chai';
import type { Attempt, AttemptCounter, AttemptLimits } from '../../application/ports/attempt-counter.ts';
import { type EmailKey, keyOf } from '../../domain/email-address.ts';
import { addressOf } from '../../tests/support/arbitraries.ts';

/** Counts under test, as two instances of the service have them, and how to get rid of them. */
export interface OpenedAttempts {
  readonly one: AttemptCounter;
  /** The same one where the counts are those of a process. */
  readonly other: AttemptCounter;
  dispose(): Promise<void>;
}

const never = 600_000;
const soon = 400;

/** Asks until an attempt may be made again, or fails after so many milliseconds. */
const free = async (attempts: AttemptCounter, attempt: Attempt, patience = 10_000): Promise<void> => {
  const deadline = performance.now() + patience;
  while ((await attempts.status(attempt)).blockedForMs > 0) {
    expect(performance.now(), 'blocked too long').to.be.below(deadline);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/**
 * What every adapter of the port AttemptCounter does. `open` opens two of them with these limits, over counts that no
 * other test of the run uses the keys of.
 */
export const attemptCounterContract = (
  name: string,
  open: (limits: AttemptLimits) => Promise<OpenedAttempts>,
): void => {
  describe(`the contract of failed attempts: ${name}`, () => {
    const opened: OpenedAttempts[] = [];
    let count = 0;

    const within = async (limits: Partial<AttemptLimits> = {}): Promise<OpenedAttempts> => {
      const attempts = await open({ failures: 3, clientFailures: 5, windowMs: never, blockMs: never, ...limits });
      opened.push(attempts);
      return attempts;
    };
    const someone = (): EmailKey => keyOf(addressOf(`throttled-${process.pid}-${++count}@example.com`));
    const somewhere = (): string => `192.0.2.${++count}`;

    const fail = async (attempts: AttemptCounter, attempt: Attempt, times: number): Promise<void> => {
      for (let failed = 0; failed < times; failed++) await attempts.recordFailure(attempt);
    };

    afterEach(async () => {
      for (const attempts of opened.splice(0)) await attempts.dispose();
    });

    it('say that they are well', async () => {
      const { one } = await within();
      expect(await one.check()).to.be.a('string').that.is.not.empty;
    });

    it('know nothing of somebody new', async () => {
      const { one } = await within();
      const attempt = { user: someone(), client: somewhere() };
      expect(await one.status(attempt)).to.deep.equal({ blockedForMs: 0, failures: 0 });
      await one.reset(attempt.user);
    });

    it('block a user with the failure that reaches the limit, for every instance, and nobody else', async () => {
      const { one, other } = await within();
      const attempt = { user: someone(), client: undefined };
      await fail(one, attempt, 2);
      expect(await other.status(attempt)).to.deep.equal({ blockedForMs: 0, failures: 2 });
      await fail(other, attempt, 1);
      for (const attempts of [one, other]) {
        const { blockedForMs, failures } = await attempts.status(attempt);
        expect(blockedForMs).to.be.within(never - 60_000, never);
        expect(failures).to.equal(3);
      }
      expect((await one.status({ user: someone(), client: undefined })).blockedForMs).to.equal(0);
    });

    it('block with the first failure where one is too many', async () => {
      const { one } = await within({ failures: 1 });
      const attempt = { user: someone(), client: undefined };
      await one.recordFailure(attempt);
      expect((await one.status(attempt)).blockedForMs).to.be.above(0);
    });

    it('lose no failure of many that come at once', async () => {
      const { one, other } = await within({ failures: 33 });
      const attempt = { user: someone(), client: undefined };
      await Promise.all(Array.from({ length: 32 }, (_, index) => (index % 2 ? one : other).recordFailure(attempt)));
      expect(await one.status(attempt)).to.deep.equal({ blockedForMs: 0, failures: 32 });
      await one.recordFailure(attempt);
      expect((await other.status(attempt)).blockedForMs).to.be.above(0);
    });

    it('count down the time that is left, and free the user when it is over', async () => {
      const { one, other } = await within({ blockMs: soon });
      const attempt = { user: someone(), client: undefined };
      await fail(one, attempt, 3);
      expect((await one.status(attempt)).blockedForMs).to.be.at.most(soon);
      await free(other, attempt);
      expect(await one.status(attempt)).to.deep.equal({ blockedForMs: 0, failures: 0 });
      await fail(one, attempt, 1);
      expect((await other.status(attempt)).failures).to.equal(1);
    });

    it('do not make a block longer for what fails during it', async () => {
      const { one, other } = await within({ blockMs: soon });
      const attempt = { user: someone(), client: undefined };
      await fail(one, attempt, 4);
      expect((await other.status(attempt)).blockedForMs).to.be.at.most(soon);
      await free(one, attempt);
    });

    it('forget failures that are older than the window', async () => {
      const { one, other } = await within({ windowMs: soon });
      const attempt = { user: someone(), client: undefined };
      await fail(one, attempt, 2);
      const deadline = performance.now() + 10_000;
      while ((await other.status(attempt)).failures > 0) {
        expect(performance.now(), 'counted too long').to.be.below(deadline);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await fail(one, attempt, 2);
      expect((await other.status(attempt)).blockedForMs).to.equal(0);
    });

    it('forget the failures of a user when they are told to, and not those of the address', async () => {
      const { one, other } = await within();
      const client = somewhere();
      const attempt = { user: someone(), client };
      await fail(one, attempt, 2);
      await other.reset(attempt.user);
      expect(await one.status(attempt)).to.deep.equal({ blockedForMs: 0, failures: 0 });
      await fail(one, { user: someone(), client }, 2);
      await fail(one, { user: someone(), client }, 1);
      expect((await other.status({ user: someone(), client })).blockedForMs).to.be.above(0);
    });

    it('block an address that failed for several users, and leave other addresses alone', async () => {
      const { one, other } = await within();
      const client = somewhere();
      for (let times = 0; times < 5; times++) {
        expect((await other.status({ user: someone(), client })).blockedForMs).to.equal(0);
        await one.recordFailure({ user: someone(), client });
      }
      const { blockedForMs, failures } = await other.status({ user: someone(), client });
      expect(blockedForMs).to.be.within(never - 60_000, never);
      expect(failures).to.equal(0);
      expect((await one.status({ user: someone(), client: somewhere() })).blockedForMs).to.equal(0);
    });

    it('count no address where none is to be counted', async () => {
      const { one } = await within({ clientFailures: 0 });
      const client = somewhere();
      for (let times = 0; times < 8; times++) await one.recordFailure({ user: someone(), client });
      expect((await one.status({ user: someone(), client })).blockedForMs).to.equal(0);
    });
  });
};
