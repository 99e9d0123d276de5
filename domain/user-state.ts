import type { Failure } from './failure.ts';
import type { User } from './user.ts';
import { updateTime, withoutAnyLink, withoutRequiredChange } from './user-update.ts';

/** The maximum length of the reason for which a user is disabled, in characters. */
export const maxReasonLength = 500;

/** The stored fields of the states, which only administrators see. */
export const stateFields = [
  'disabledTime',
  'disabledUntil',
  'disabledReason',
  'changeRequiredTime',
  'invitationTime',
] as const;

/** Whether a user is disabled. It ends by itself, so that an ended disablement may remain. */
export const isDisabled = ({ disablement }: User, now: number): boolean =>
  disablement !== undefined && (disablement.until === undefined || now < disablement.until);

/** Whether the person has not chosen a password since an administrator created the user. The link may have ended. */
export const isInvited = ({ invitation }: User): boolean => invitation !== undefined;

/** Whether the user has to set a new password before anything else. */
export const isChangeRequired = ({ requiredChangeTime }: User): boolean => requiredChangeTime !== undefined;

/** Whether an administrator has disabled the user or requires another password. Most users have neither. */
export const hasState = ({ disablement, requiredChangeTime }: User): boolean =>
  disablement !== undefined || requiredChangeTime !== undefined;

/** Why a user may not act even with the right password; null if the user may. */
export const stateFailure = (
  user: User,
  now: number,
  /** Whether the caller sets a new password. */
  changesPassword: boolean,
): Failure<'user_disabled' | 'password_change_required'> | null => {
  if (isDisabled(user, now)) {
    const until = user.disablement?.until;
    return {
      code: 'user_disabled',
      ...(until !== undefined && { retryAfterSeconds: Math.ceil((until - now) / 1000) }),
    };
  }
  return isChangeRequired(user) && !changesPassword ? { code: 'password_change_required' } : null;
};

const changed = (user: User, now: number): User => ({ ...user, lastUpdateTime: updateTime(user, now) });

/**
 * The disabled user, without outstanding links: another person may have them, and they would work again afterwards.
 * `since` is that of the first of several commands; `until` is undefined for good. Returns the same object if nothing
 * changes.
 */
export const disableUser = (
  user: User,
  { reason, until }: { readonly reason: string; readonly until: number | undefined },
  now: number,
): User => {
  const previous = isDisabled(user, now) ? user.disablement : undefined;
  if (previous !== undefined && previous.reason === reason && previous.until === until) return user;
  const disablement = { since: previous?.since ?? now, ...(until !== undefined && { until }), reason };
  return changed({ ...withoutAnyLink(user), disablement }, now);
};

/**
 * The user who is not disabled. Returns the same object if nothing changes. Links of a user whom a former version
 * disabled, or who was imported as disabled, may be outstanding: they end here.
 */
export const enableUser = (user: User, now: number): User => {
  if (user.disablement === undefined) return user;
  const { disablement: _, ...enabled } = isDisabled(user, now) ? withoutAnyLink(user) : user;
  return changed(enabled, now);
};

/** The user who has to set a new password. Returns the same object if nothing changes. */
export const requirePasswordChange = (user: User, now: number): User =>
  isChangeRequired(user) ? user : changed({ ...user, requiredChangeTime: now }, now);

/** The user who keeps the password. Returns the same object if nothing changes. */
export const withdrawPasswordChange = (user: User, now: number): User =>
  isChangeRequired(user) ? changed(withoutRequiredChange(user), now) : user;

/**
 * The user whose password was right now. The same object while the recorded time is less than `precisionMs` away; one in
 * the future is that of a fast clock.
 */
export const withCheckTime = (user: User, precisionMs: number, now: number): User =>
  user.lastCheckTime === undefined || Math.abs(now - user.lastCheckTime) >= precisionMs
    ? { ...user, lastCheckTime: now }
    : user;

/**
 * The imported user. One who is not verified, or whose password was never right, has from now on as long as a new one for
 * it, whatever an earlier import has noted.
 */
export const importedUser = (user: User, now: number): User =>
  user.email.verification.verified && user.lastCheckTime !== undefined ? user : { ...user, importTime: now };

/** Which users are inactive: those whose password was not right since a time. */
export interface Inactivity {
  /** In milliseconds since the epoch, as is `recordedSince`. */
  readonly before: number;
  /** Since when checks are recorded; 0 for ever. Inactivity counts from then on, because earlier checks are not known. */
  readonly recordedSince: number;
}

/**
 * Whether a user is inactive. One whose password was never right counts from the import. A password that was set later,
 * as in a recovery, counts, too, and so does the last invitation of one who has not chosen a password yet. So does the
 * creation, which a check precedes only with a wrong clock.
 */
export const isInactive = (
  { lastCheckTime, creationTime, importTime = 0, passwordTime = 0, invitation }: User,
  { before, recordedSince }: Inactivity,
): boolean =>
  Math.max(lastCheckTime ?? importTime, creationTime, passwordTime, invitation?.time ?? 0, recordedSince) < before;
