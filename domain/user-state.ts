import type { Failure } from './failure.ts';
import type { Email, User } from './user.ts';
import { updateTime, withoutAnyLink } from './user-update.ts';

/** The maximum length of the reason for which a user is disabled, in characters. */
export const maxReasonLength = 500;

/** The stored fields of the states, which only administrators see. */
export const stateFields = ['disabledTime', 'disabledUntil', 'disabledReason', 'changeRequiredTime'] as const;

/** Why a user is disabled, and until when, in milliseconds since the epoch; undefined for good. */
export interface Disablement {
  readonly reason: string;
  readonly until: number | undefined;
}

/** Whether a user is disabled. It ends by itself, so the stored fields of an ended one may remain. */
export const isDisabled = ({ email: { disabledTime, disabledUntil } }: User, now: number): boolean =>
  disabledTime !== undefined && (disabledUntil === undefined || now < disabledUntil);

/** Whether the user has to set a new password before anything else. */
export const isChangeRequired = ({ email }: User): boolean => email.changeRequiredTime !== undefined;

/** Whether an administrator has disabled the user or requires another password. Most users have neither. */
export const hasState = ({ email: { disabledTime, changeRequiredTime } }: User): boolean =>
  disabledTime !== undefined || changeRequiredTime !== undefined;

/** Why a user may not act even with the right password; null if the user may. */
export const stateFailure = (
  user: User,
  now: number,
  /** Whether the caller sets a new password. */
  changesPassword: boolean,
): Failure<'user_disabled' | 'password_change_required'> | null => {
  if (isDisabled(user, now)) {
    const { disabledUntil } = user.email;
    return {
      code: 'user_disabled',
      ...(disabledUntil !== undefined && { retryAfterSeconds: Math.ceil((disabledUntil - now) / 1000) }),
    };
  }
  return isChangeRequired(user) && !changesPassword ? { code: 'password_change_required' } : null;
};

const withoutDisablement = ({ disabledTime: _, disabledUntil: __, disabledReason: ___, ...email }: Email): Email =>
  email;

const withEmail = (user: User, email: Email, now: number): User => ({
  ...user,
  email,
  lastUpdateTime: updateTime(user, now),
});

/**
 * The disabled user, without outstanding links: somebody else may have them, and they would work again afterwards.
 * `disabledTime` is that of the first of several commands. Returns the same object if nothing changes.
 */
export const disableUser = (user: User, { reason, until }: Disablement, now: number): User => {
  const { disabledTime, disabledUntil, disabledReason } = user.email;
  const wasDisabled = isDisabled(user, now);
  if (wasDisabled && disabledReason === reason && disabledUntil === until) return user;
  const email = {
    ...withoutAnyLink(withoutDisablement(user.email)),
    disabledTime: wasDisabled && disabledTime !== undefined ? disabledTime : now,
    disabledReason: reason,
    ...(until !== undefined && { disabledUntil: until }),
  };
  return withEmail(user, email, now);
};

/**
 * The user who is not disabled. Returns the same object if nothing changes. Links of a user whom a former version
 * disabled, or who was imported as disabled, may be outstanding: they end here.
 */
export const enableUser = (user: User, now: number): User => {
  if (user.email.disabledTime === undefined) return user;
  const email = isDisabled(user, now) ? withoutAnyLink(user.email) : user.email;
  return withEmail(user, withoutDisablement(email), now);
};

/** The user who has to set a new password. Returns the same object if nothing changes. */
export const requirePasswordChange = (user: User, now: number): User =>
  isChangeRequired(user) ? user : withEmail(user, { ...user.email, changeRequiredTime: now }, now);

/** The user who keeps the password. Returns the same object if nothing changes. */
export const withdrawPasswordChange = (user: User, now: number): User => {
  if (!isChangeRequired(user)) return user;
  const { changeRequiredTime: _, ...email } = user.email;
  return withEmail(user, email, now);
};
