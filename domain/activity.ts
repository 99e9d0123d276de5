import type { User } from './user.ts';

/** Which users are inactive: those whose password was not right since a time. */
export interface Inactivity {
  /** In milliseconds since the epoch, as is `recordedSince`. */
  readonly before: number;
  /** Since when checks are recorded; 0 for ever. Nobody counts from an earlier time, because what came later is not known. */
  readonly recordedSince: number;
}

/**
 * Whether a user is inactive. One whose password was never right counts from the import. A password that was set later,
 * as in a recovery, counts as well, and so does the creation, before which only a wrong clock can have been.
 */
export const isInactive = (
  { lastCheckTime, creationTime, importTime = 0, passwordTime = 0 }: User,
  { before, recordedSince }: Inactivity,
): boolean => Math.max(lastCheckTime ?? importTime, creationTime, passwordTime, recordedSince) < before;
