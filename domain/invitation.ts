import { isExpired, type OneTimeToken } from './one-time-token.ts';
import type { User } from './user.ts';
import { isDisabled } from './user-state.ts';
import { updateTime } from './user-update.ts';

/** The user with an outstanding invitation, which replaces the former one. */
export const inviteUser = (user: User, invitation: Required<OneTimeToken>, now: number): User => ({
  ...user,
  invitation,
  lastUpdateTime: updateTime(user, now),
});

/** Whether the person has not chosen a password since an administrator created the user. The link may have ended. */
export const isInvited = ({ invitation }: User): boolean => invitation !== undefined;

/** The digest of the outstanding token; undefined without one, and for a disabled user, who cannot use it. */
export const invitationDigestOf = (user: User, now: number): string | undefined =>
  isDisabled(user, now) ? undefined : user.invitation?.digest;

/** Whether the outstanding token is too old. */
export const isInvitationExpired = ({ invitation }: User, lifetimeMs: number, now: number): boolean =>
  invitation === undefined || isExpired(invitation.time, lifetimeMs, now);
