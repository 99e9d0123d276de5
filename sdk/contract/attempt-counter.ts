import { expect } from 'chai';
import type { Attempt, AttemptCounter, AttemptLimits } from '../../application/ports/attempt-counter.ts';
import { type EmailKey, keyOf } from '../../domain/email-address.ts';
import { addressOf } from './arbitraries.ts';

/** The counters of two instances of the service on one database; `dispose` closes them and removes their data. */
export interface OpenedAttempts {
  readonly one: AttemptCounter;
  /** The same counter where it belongs to a process. */
  readonly other: AttemptCounter;
  /** All that the database keeps of the counters, as text. Without it, the test of what is stored is skipped. */
  stored?(): Promise<string>;
  dispose(): Promise<void>;
}

const longMs = 600_000;
const shortMs = 400;

/** Waits until an attempt is no longer blocked; fails after a timeout. */
const untilUnblocked = async (attempts: AttemptCounter, attempt: Attempt, timeoutMs = 10_000): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  while ((await attempts.status(attempt)).blockedForMs > 0) {
    expect(performance.now(), 'blocked too long').to.be.below(deadline);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/**
 * The contract of the port AttemptCounter. `open` opens two counters with these limits on the same database.
 */
export const attemptCounterContract = (
  name: string,
  open: (limits: AttemptLimits) => Promise<OpenedAttempts>,
): void => {
  describe(`the contract of an attempt counter: ${name}`, () => {
    const opened: OpenedAttempts[] = [];
    let count = 0;

    const openWith = async (limits: Partial<AttemptLimits> = {}): Promise<OpenedAttempts> => {
      const attempts = await open({ failures: 3, clientFailures: 5, windowMs: longMs, blockMs: longMs, ...limits });
      opened.push(attempts);
      return attempts;
    };
    const someone = (): EmailKey => keyOf(addressOf(`throttled-${process.pid}-${++count}@example.com`));
    const newClientAddress = (): string => `192.0.2.${++count}`;

    const fail = async (attempts: AttemptCounter, attempt: Attempt, times: number): Promise<void> => {
      for (let failed = 0; failed < times; failed++) await attempts.recordFailure(attempt);
    };

    afterEach(async () => {
      for (const attempts of opened.splice(0)) await attempts.dispose();
    });

    it('reports its health', async () => {
      const { one } = await openWith();
      expect(await one.check()).to.be.a('string').that.is.not.empty;
    });

    it('has no failures of a new user', async () => {
      const { one } = await openWith();
      const attempt = { user: someone(), client: newClientAddress() };
      expect(await one.status(attempt)).to.deep.equal({ blockedForMs: 0, failures: 0 });
      await one.reset(attempt.user);
    });

    it('blocks a user with the failure that reaches the limit, for every instance, and no other user', async () => {
      const { one, other } = await openWith();
      const attempt = { user: someone(), client: undefined };
      await fail(one, attempt, 2);
      expect(await other.status(attempt)).to.deep.equal({ blockedForMs: 0, failures: 2 });
      await fail(other, attempt, 1);
      for (const attempts of [one, other]) {
        const { blockedForMs, failures } = await attempts.status(attempt);
        expect(blockedForMs).to.be.within(longMs - 60_000, longMs);
        expect(failures).to.equal(3);
      }
      expect((await one.status({ user: someone(), client: undefined })).blockedForMs).to.equal(0);
    });

    it('blocks with the first failure if the limit is one', async () => {
      const { one } = await openWith({ failures: 1 });
      const attempt = { user: someone(), client: undefined };
      await one.recordFailure(attempt);
      expect((await one.status(attempt)).blockedForMs).to.be.above(0);
    });

    it('loses none of many concurrent failures', async () => {
      const { one, other } = await openWith({ failures: 33 });
      const attempt = { user: someone(), client: undefined };
      await Promise.all(Array.from({ length: 32 }, (_, index) => (index % 2 ? one : other).recordFailure(attempt)));
      expect(await one.status(attempt)).to.deep.equal({ blockedForMs: 0, failures: 32 });
      await one.recordFailure(attempt);
      expect((await other.status(attempt)).blockedForMs).to.be.above(0);
    });

    it('counts down the rest of a block, and then unblocks the user', async () => {
      const { one, other } = await openWith({ blockMs: shortMs });
      const attempt = { user: someone(), client: undefined };
      await fail(one, attempt, 3);
      expect((await one.status(attempt)).blockedForMs).to.be.at.most(shortMs);
      await untilUnblocked(other, attempt);
      expect(await one.status(attempt)).to.deep.equal({ blockedForMs: 0, failures: 0 });
      await fail(one, attempt, 1);
      expect((await other.status(attempt)).failures).to.equal(1);
    });

    const extensions: Readonly<Record<string, () => { readonly blocks: () => Attempt; readonly times: number }>> = {
      'a block': () => {
        const attempt = { user: someone(), client: undefined };
        return { blocks: () => attempt, times: 3 };
      },
      'a block of a client address': () => {
        const client = newClientAddress();
        return { blocks: () => ({ user: someone(), client }), times: 5 };
      },
    };
    for (const [block, begin] of Object.entries(extensions))
      it(`does not extend ${block} by failures during it`, async () => {
        const { one, other } = await openWith();
        const { blocks, times } = begin();
        for (let failed = 0; failed < times; failed++) await one.recordFailure(blocks());
        const deadline = performance.now() + 10_000;
        let blockedForMs = longMs;
        while (blockedForMs > longMs - shortMs) {
          expect(performance.now(), 'the rest of the block does not fall').to.be.below(deadline);
          await new Promise((resolve) => setTimeout(resolve, 20));
          ({ blockedForMs } = await one.status(blocks()));
        }
        await other.recordFailure(blocks());
        expect((await other.status(blocks())).blockedForMs).to.be.at.most(blockedForMs);
      });

    it('does not extend the window by failures during it', async () => {
      const { one, other } = await openWith({ windowMs: shortMs, failures: 1_000 });
      const attempt = { user: someone(), client: undefined };
      const deadline = performance.now() + 10_000;
      for (let counted = 0, failures = 0; failures >= counted; ) {
        expect(performance.now(), 'counted too long').to.be.below(deadline);
        counted = failures;
        await fail(one, attempt, 1);
        ({ failures } = await other.status(attempt));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });

    it('stores neither users nor client addresses in plain text', async function () {
      const opened = await openWith();
      const stored = () => opened.stored?.();
      const attempt = { user: someone(), client: newClientAddress() };
      const before = await stored();
      if (before === undefined) return this.skip();
      await fail(opened.one, attempt, 1);
      const content = await stored();
      expect(content, 'what is stored').to.not.equal(before);
      for (const clear of [attempt.user, attempt.user.slice(0, attempt.user.indexOf('@')), attempt.client])
        for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const)
          expect(content).to.not.include(Buffer.from(clear).toString(encoding).replace(/=+$/, ''));
    });

    it('forgets failures after the window', async () => {
      const { one, other } = await openWith({ windowMs: shortMs });
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

    it('resets the failures of a user, and not those of the client address', async () => {
      const { one, other } = await openWith();
      const client = newClientAddress();
      const attempt = { user: someone(), client };
      await fail(one, attempt, 2);
      await other.reset(attempt.user);
      expect(await one.status(attempt)).to.deep.equal({ blockedForMs: 0, failures: 0 });
      await fail(one, { user: someone(), client }, 2);
      await fail(one, { user: someone(), client }, 1);
      expect((await other.status({ user: someone(), client })).blockedForMs).to.be.above(0);
    });

    it('unblocks a user with a reset', async () => {
      const { one, other } = await openWith();
      const attempt = { user: someone(), client: undefined };
      await fail(one, attempt, 3);
      expect((await other.status(attempt)).blockedForMs).to.be.above(0);
      await other.reset(attempt.user);
      expect(await one.status(attempt)).to.deep.equal({ blockedForMs: 0, failures: 0 });
      await fail(one, attempt, 1);
      expect(await other.status(attempt)).to.deep.equal({ blockedForMs: 0, failures: 1 });
    });

    it('counts attempts of another kind by themselves', async () => {
      const { one, other } = await openWith();
      const user = someone();
      await fail(one, { user: `code:${user}`, client: undefined }, 3);
      expect(await other.status({ user, client: undefined })).to.deep.equal({ blockedForMs: 0, failures: 0 });
      await one.reset(user);
      expect((await other.status({ user: `code:${user}`, client: undefined })).blockedForMs).to.be.above(0);
    });

    it('blocks for longer than the window', async () => {
      const { one, other } = await openWith({ windowMs: shortMs });
      const deadline = performance.now() + 10_000;
      let attempt: Attempt;
      do {
        expect(performance.now(), 'three failures take longer than the window').to.be.below(deadline);
        attempt = { user: someone(), client: undefined };
        await Promise.all([one, other, one].map((attempts) => fail(attempts, attempt, 1)));
      } while ((await one.status(attempt)).blockedForMs === 0);
      await new Promise((resolve) => setTimeout(resolve, 2 * shortMs));
      expect((await one.status(attempt)).blockedForMs).to.be.above(0);
      expect((await other.status(attempt)).blockedForMs).to.be.above(0);
    });

    it('blocks a client address after failures for several users, and no other address', async () => {
      const { one, other } = await openWith();
      const client = newClientAddress();
      for (let times = 0; times < 5; times++) {
        expect((await other.status({ user: someone(), client })).blockedForMs).to.equal(0);
        await one.recordFailure({ user: someone(), client });
      }
      const { blockedForMs, failures } = await other.status({ user: someone(), client });
      expect(blockedForMs).to.be.within(longMs - 60_000, longMs);
      expect(failures).to.equal(0);
      expect((await one.status({ user: someone(), client: newClientAddress() })).blockedForMs).to.equal(0);
    });

    it('blocks a client address for another time than a user if it has one', async () => {
      const { one, other } = await openWith({ ofClients: { windowMs: longMs, blockMs: shortMs } });
      const [user, client] = [someone(), newClientAddress()];
      for (let times = 0; times < 5; times++) await one.recordFailure({ user, client });
      expect((await other.status({ user: someone(), client })).blockedForMs).to.be.at.most(shortMs);
      expect((await other.status({ user, client: undefined })).blockedForMs).to.be.above(shortMs);
    });

    it('loses none of many concurrent failures of a client address', async () => {
      const { one, other } = await openWith();
      const client = newClientAddress();
      const failures = [one, other, one, other, one].map((attempts) =>
        attempts.recordFailure({ user: someone(), client }),
      );
      await Promise.all(failures);
      expect((await other.status({ user: someone(), client })).blockedForMs).to.be.above(0);
    });

    it('forgets failures of a client address after the window', async () => {
      const { one, other } = await openWith({ windowMs: shortMs });
      const client = newClientAddress();
      for (let times = 0; times < 2; times++) {
        for (let failed = 0; failed < 4; failed++) await one.recordFailure({ user: someone(), client });
        await new Promise((resolve) => setTimeout(resolve, 2 * shortMs));
      }
      expect((await other.status({ user: someone(), client })).blockedForMs).to.equal(0);
      await one.recordFailure({ user: someone(), client });
      expect((await other.status({ user: someone(), client })).blockedForMs).to.equal(0);
    });

    it('counts no client addresses with clientFailures: 0', async () => {
      const { one } = await openWith({ clientFailures: 0 });
      const client = newClientAddress();
      for (let times = 0; times < 8; times++) await one.recordFailure({ user: someone(), client });
      expect((await one.status({ user: someone(), client })).blockedForMs).to.equal(0);
    });
  });
};
