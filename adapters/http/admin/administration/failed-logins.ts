import { setTimeout as sleep } from 'node:timers/promises';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { subscriberOf } from '../../server/client-address.ts';

/** An address is blocked after this many wrong keys within `windowSeconds`. */
const maxFailures = 10;
const windowSeconds = 15 * 60;
const blockSeconds = 15 * 60;

/** Delay of the response to a wrong key. */
const delayMs = 500;
/** Limits the memory of delayed responses: above this number, responses are sent at once. */
const maxDelayed = 32;

/** Whether an address is blocked. */
interface FailedLoginStatus {
  /** Whether it was blocked before this attempt. */
  readonly wasBlocked: boolean;
  /** For how much longer it is blocked after this attempt; 0 when it is not. */
  readonly blockedForSeconds: number;
}

/** Where a key comes from. */
interface Origin {
  readonly address: string;
  /** Whether a page of another site made a browser send it. */
  readonly isCrossSite: boolean;
  /** Whether it came to the index, which needs no key. */
  readonly isAtIndex?: boolean;
}

/** A closed connection has no address; all of these are counted together. */
const keyOf = ({ address, isCrossSite, isAtIndex = false }: Origin): string =>
  `${subscriberOf(address) ?? 'unknown'}${isCrossSite ? ' cross-site' : ''}${isAtIndex ? ' index' : ''}`;

const blockedSecondsOf = ({ consumedPoints, msBeforeNext }: RateLimiterRes): number =>
  consumedPoints < maxFailures ? 0 : Math.max(0, Math.ceil(msBeforeNext / 1000));

/**
 * Counts the wrong keys of administrators by the address of the connection, in the memory of this process. It blocks
 * addresses and never keys, so that guesses cannot lock out administrators at other addresses (OWASP Authentication Cheat
 * Sheet, "Account Lockout").
 */
export class FailedLogins {
  // The limiter blocks a count above its points, but here the failure that reaches `maxFailures` must block.
  private readonly limiter = new RateLimiterMemory({
    points: maxFailures - 1,
    duration: windowSeconds,
    blockDuration: blockSeconds,
  });
  private delayed = 0;

  /** Whether an address is blocked. A block refuses right keys too. */
  async statusOf(origin: Origin): Promise<FailedLoginStatus> {
    const found = await this.limiter.get(keyOf(origin));
    const blockedForSeconds = found === null ? 0 : blockedSecondsOf(found);
    return { wasBlocked: blockedForSeconds > 0, blockedForSeconds };
  }

  /** Counts a wrong key. Those of cross-site requests, and those that came to the index, are counted separately. */
  async add(origin: Origin): Promise<FailedLoginStatus> {
    const counted = await this.limiter.consume(keyOf(origin)).catch((error: unknown) => {
      if (error instanceof RateLimiterRes) return error;
      throw error;
    });
    return { wasBlocked: counted.consumedPoints > maxFailures, blockedForSeconds: blockedSecondsOf(counted) };
  }

  /** Resolves when the response to a wrong key may be sent. */
  async delay(): Promise<void> {
    if (this.delayed >= maxDelayed) return;
    this.delayed++;
    await sleep(delayMs);
    this.delayed--;
  }
}
