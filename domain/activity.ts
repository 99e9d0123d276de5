import type { User } from './user.ts';

/** Which users are inactive: those whose password was not right since a time. */
export interface Inactivity {
  /** In milliseconds since the epoch, as is `recordedSince`. */
  readonly before: number;
  /** Since when checks are recorded; 0 for ever. Users without one count from then at the earliest. */
  readonly recordedSince: number;
}

/** Whether a user is inactive. One whose password was never right counts from the creation or the import. */
export const isInactive = (
  { lastCheckTime, creationTime, importTime = 0 }: User,
  { before, recordedSince }: Inactivity,
): boolean => (lastCheckTime ?? Math.max(creationTime, importTime, recordedSince)) < before;
