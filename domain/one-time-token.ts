import type { Failure } from './failure.ts';

/** A token that was mailed and can be used until it expires. Only its digest is stored. */
export interface OutstandingToken {
  readonly digest: string;
  /** When it was issued, in milliseconds since the epoch. */
  readonly time: number;
}

/** A token that was used or withdrawn. The time stays, so that the interval between two mails holds. */
type SpentToken = { readonly digest?: undefined; readonly time: number };

export type OneTimeToken = OutstandingToken | SpentToken;

/** The token if it is outstanding; undefined if it is spent, or there is none. */
export const outstanding = (token: OneTimeToken | undefined): OutstandingToken | undefined =>
  token?.digest === undefined ? undefined : token;

/** The limits of the tokens of one kind. */
export interface OneTimeTokenPolicy {
  /** How long a token is valid. */
  readonly lifetimeMs: number;
  /** The minimum interval between two mails to a user; null for none. */
  readonly resendIntervalMs: number | null;
}

/** The largest difference to expect between the clocks of two instances. */
const clockDriftMs = 1_000;

/** A time in the future was recorded before the clock was set back: what has passed since then is unknown. */
const isKnown = (time: number | undefined, now: number): time is number =>
  time !== undefined && time - now <= clockDriftMs;

/** Whether a token that was issued at `time` is too old. */
export const isExpired = (time: number, lifetimeMs: number, now: number): boolean => now - time >= lifetimeMs;

/**
 * Why a mail may not be sent: the last one was sent less than `intervalMs` ago (null for no interval), or after the request
 * at `requestedTime`, so that it has answered it. Null if the mail may be sent. A last time in the future is ignored.
 */
export const resendFailure = (
  last: number | undefined,
  intervalMs: number | null,
  now: number,
  requestedTime = Number.POSITIVE_INFINITY,
): Failure<'resend_too_soon'> | null => {
  if (!isKnown(last, now)) return null;
  const waitMs = intervalMs === null ? 0 : Math.max(0, Math.min(intervalMs, last + intervalMs - now));
  if (waitMs === 0 && last <= requestedTime) return null;
  return { code: 'resend_too_soon', retryAfterSeconds: Math.ceil(waitMs / 1000) };
};
