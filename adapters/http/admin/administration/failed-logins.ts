import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../../application/ports/clock.ts';
import { type FailureCount, FailureCounts } from '../../../concurrency/failure-counts.ts';
import { subscriberOf } from '../../server/client-address.ts';

/** An address is blocked after this many wrong keys within `windowMs`. */
const maxFailures = 10;
const windowMs = 15 * 60_000;
const blockMs = 15 * 60_000;

/** Delay of the response to a wrong key. */
const delayMs = 500;
/** Limits the memory of delayed responses: above this number, responses are sent at once. */
const maxDelayed = 32;

/** Whether an address is blocked. */
export interface FailedLoginStatus {
  /** Whether it was blocked before this attempt. */
  readonly wasBlocked: boolean;
  /** For how much longer it is blocked after this attempt; 0 when it is not. */
  readonly blockedForSeconds: number;
}

/** Where a key comes from. */
export interface Origin {
  readonly address: string;
  /** Whether a page of another site made a browser send it. */
  readonly isCrossSite: boolean;
  /** Whether it came to the index, which needs no key. */
  readonly isAtIndex?: boolean;
}

/** A closed connection has no address; all of these are counted together. */
const keyOf = ({ address, isCrossSite, isAtIndex = false }: Origin): string =>
  `${subscriberOf(address) ?? 'unknown'}${isCrossSite ? ' cross-site' : ''}${isAtIndex ? ' index' : ''}`;

const blockedSecondsOf = ({ failures, end }: FailureCount, now: number): number =>
  failures < maxFailures ? 0 : Math.max(0, Math.ceil((end - now) / 1000));

/**
 * Counts the wrong keys of administrators by the address of the connection, in the memory of this process. It blocks
 * addresses and never keys, so that guesses cannot lock out administrators at other addresses (OWASP Authentication Cheat
 * Sheet, "Account Lockout").
 */
export class FailedLogins {
  private readonly counts = new FailureCounts();
  private delayed = 0;

  constructor(private readonly clock: Clock) {}

  /** Whether an address is blocked. A block refuses right keys too. */
  async statusOf(origin: Origin): Promise<FailedLoginStatus> {
    const found = this.counts.get(keyOf(origin));
    const blockedForSeconds = found === undefined ? 0 : blockedSecondsOf(found, this.clock.now());
    return { wasBlocked: blockedForSeconds > 0, blockedForSeconds };
  }

  /** Counts a wrong key. Those of cross-site requests, and those that came to the index, are counted separately. */
  async add(origin: Origin): Promise<FailedLoginStatus> {
    const now = this.clock.now();
    const counted = this.counts.add(keyOf(origin), now, now + windowMs);
    const { failures } = counted;
    const blocked =
      failures === maxFailures ? this.counts.set(keyOf(origin), now, { failures, end: now + blockMs }) : counted;
    return { wasBlocked: failures > maxFailures, blockedForSeconds: blockedSecondsOf(blocked, now) };
  }

  /** Resolves when the response to a wrong key may be sent. */
  async delay(): Promise<void> {
    if (this.delayed >= maxDelayed) return;
    this.delayed++;
    await sleep(delayMs);
    this.delayed--;
  }
}
