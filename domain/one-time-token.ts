import type { Failure } from './failure.ts';

/**
 * A token that was mailed, of which only the digest is stored. The digest ends with the token; the time, in milliseconds
 * since the epoch, stays, so that the interval between two mails holds.
 */
export interface OneTimeToken {
  readonly digest?: string;
  /** When it was issued. */
  readonly time: number;
}

/** The limits of the tokens of one kind. */
export interface OneTimeTokenPolicy {
  /** How long a token is valid. */
  readonly lifetimeMs: number;
  /** The minimum interval between two tokens of a user. */
  readonly resendIntervalMs: number;
}

/** The largest difference to expect between the clocks of two instances. */
const clockDriftMs = 1_000;

/** A time in the future was recorded before the clock was set back: what has passed since then is unknown. */
const isKnown = (time: number | undefined, now: number): time is number =>
  time !== undefined && time - now <= clockDriftMs;

/** Whether a token that was issued at `time` is too old. */
export const isExpired = (time: number, lifetimeMs: number, now: number): boolean => now - time >= lifetimeMs;

/** Whether a token was issued after another time. One in the future is ignored. */
export const wasIssuedAfter = (issued: number | undefined, time: number, now: number): boolean =>
  isKnown(issued, now) && issued > time;

/**
 * How many milliseconds remain until the next mail may be sent, `intervalMs` after the last one; 0 if it may be sent now,
 * which is always so for null. A time in the future is ignored.
 */
export const msUntilNext = (last: number | undefined, intervalMs: number | null, now: number): number =>
  intervalMs === null || !isKnown(last, now) ? 0 : Math.max(0, Math.min(intervalMs, last + intervalMs - now));

/** The refusal of a mail that may be sent in `waitMs`. */
export const resendTooSoon = (waitMs: number): Failure<'resend_too_soon'> => ({
  code: 'resend_too_soon',
  retryAfterSeconds: Math.ceil(waitMs / 1000),
});
