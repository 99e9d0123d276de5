import { setTimeout as after } from 'node:timers/promises';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { subscriberOf } from '../../server/ip-address.ts';

/** How many wrong keys of one address are too many, and within how many seconds. */
const mostFailures = 10;
const windowSeconds = 15 * 60;
/** For how many seconds no key of the address is accepted then. */
const blockSeconds = 15 * 60;

/** How many milliseconds the answer to a wrong key waits. */
const delayMs = 500;
/** How many answers wait at once; further ones are sent without delay, so that they take no memory. */
const mostDelayed = 32;

/** What came before a key is judged, and what follows from it. */
export interface AttemptStatus {
  /** Whether the address was blocked before. */
  readonly wasBlocked: boolean;
  /** For how many more seconds it is blocked now; 0 when it is not. */
  readonly blockedFor: number;
}

/** Where a key comes from. */
export interface Origin {
  readonly address: string;
  /** Whether a page of another site made a browser send it. */
  readonly isCrossSite: boolean;
}

/** The address of a connection that was closed meanwhile is unknown; all of those are counted together. */
const keyOf = ({ address, isCrossSite }: Origin): string =>
  `${subscriberOf(address) ?? 'unknown'}${isCrossSite ? ' cross-site' : ''}`;

const blockOf = ({ consumedPoints, msBeforeNext }: RateLimiterRes): number =>
  consumedPoints < mostFailures ? 0 : Math.max(0, Math.ceil(msBeforeNext / 1000));

/**
 * Counts the wrong keys of administrators by the address of the connection, in the memory of this process. Only the
 * address is blocked, never a key: somebody who guesses can't lock out administrators at other addresses (OWASP
 * Authentication Cheat Sheet, "Account Lockout").
 */
export class FailedLogins {
  // A limiter blocks what exceeds its points, and the failure that reaches the limit has to be the one that blocks.
  private readonly limiter = new RateLimiterMemory({
    points: mostFailures - 1,
    duration: windowSeconds,
    blockDuration: blockSeconds,
  });
  private delayed = 0;

  /** Whether no key from an address is accepted just now, however right it is. */
  async statusOf(origin: Origin): Promise<AttemptStatus> {
    const found = await this.limiter.get(keyOf(origin));
    const blockedFor = found === null ? 0 : blockOf(found);
    return { wasBlocked: blockedFor > 0, blockedFor };
  }

  /** Counts a wrong key from an address; those of cross-site requests count for such requests alone. */
  async add(origin: Origin): Promise<AttemptStatus> {
    const counted = await this.limiter.consume(keyOf(origin)).catch((error: unknown) => {
      if (error instanceof RateLimiterRes) return error;
      throw error;
    });
    return { wasBlocked: counted.consumedPoints > mostFailures, blockedFor: blockOf(counted) };
  }

  /** Resolves when a wrong key may be answered. */
  async delay(): Promise<void> {
    if (this.delayed >= mostDelayed) return;
    this.delayed++;
    await after(delayMs);
    this.delayed--;
  }
}
