import { type EmailAddress, type EmailKey, keyOf } from '../../domain/email-address.ts';
import { Fault } from '../fault.ts';
import { withTimeout } from '../interceptor.ts';
import type { AttemptCounter, AttemptLimits } from '../ports/attempt-counter.ts';
import type { Log } from '../ports/log.ts';

const dayMs = 24 * 60 * 60_000;

/** The notices that one address gets within a day, from the first of them on; after the last one it gets none for a day. */
export const noticeLimits: AttemptLimits = { failures: 10, clientFailures: 0, windowMs: dayMs, blockMs: dayMs };

/** Of one call of the counter: both calls fit into the margin after the attempt, before others claim the mail. */
const countTimeoutMs = 2_000;

type NoticeCounter = Pick<AttemptCounter, 'status' | 'recordFailure' | 'reset'>;

/**
 * Keeps people who sign up with the address of a stranger from mailing the stranger with every change. Verified addresses
 * have the same limit, or else a thief could end the notices by a reset of the verification; they get the first ones.
 * Counted by the address, so that a user who is deleted and created again gets no more of them.
 */
export class NoticeLimit {
  /** How many this process dropped. */
  dropped = 0;
  /** How many this process is sending to each address. */
  private readonly onTheirWay = new Map<EmailKey, number>();

  constructor(
    /** Opens the counter, or returns the one that it has opened. */
    private readonly open: () => Promise<NoticeCounter>,
    private readonly log: Log,
  ) {}

  /**
   * Sends a notice, and counts it unless `send` throws. Resolves with false without sending it where the address had enough.
   * Throws the Fault of `send`, and a temporary refusal if the notices cannot be counted, or if those on their way to the
   * address may be enough.
   */
  async run(to: EmailAddress, send: () => Promise<void>): Promise<boolean> {
    const user = keyOf(to);
    const others = this.onTheirWay.get(user) ?? 0;
    this.onTheirWay.set(user, others + 1);
    try {
      const sent = await this.sentTo(user);
      if (sent >= noticeLimits.failures) {
        this.dropped++;
        return false;
      }
      if (sent + others >= noticeLimits.failures) throw refusal('other notices to the address are on their way');
      await send();
      await this.count(user);
      return true;
    } finally {
      const left = (this.onTheirWay.get(user) ?? 1) - 1;
      if (left === 0) this.onTheirWay.delete(user);
      else this.onTheirWay.set(user, left);
    }
  }

  private async sentTo(user: EmailKey): Promise<number> {
    try {
      return (await this.call((counter) => counter.status({ user, client: undefined }))).failures;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // A damaged count would keep every notice from the address.
      if (error.record !== undefined) await this.call((counter) => counter.reset(user)).catch(() => undefined);
      throw refusal(`notices cannot be counted: ${error.message}`);
    }
  }

  /** A notice that was sent must not be sent again because it cannot be counted. */
  private async count(user: EmailKey): Promise<void> {
    try {
      await this.call((counter) => counter.recordFailure({ user, client: undefined }));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.log.warn({ reason: error.message }, 'a notice that was sent could not be counted');
    }
  }

  private call<Result>(work: (counter: NoticeCounter) => Promise<Result>): Promise<Result> {
    const message = `the counter did not answer in ${countTimeoutMs} ms`;
    return withTimeout(countTimeoutMs, this.open().then(work), () => new Fault('timed_out', message));
  }
}

const refusal = (reason: string): Fault => new Fault('mail_failed', reason, { refusal: 'temporary' });
