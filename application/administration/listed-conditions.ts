import type { User } from '../../domain/user.ts';
import { type UniqueProperty, type UserKey, wantedKeys } from '../../domain/user-name.ts';
import type { Inactivity } from '../../domain/user-state.ts';
import { Fault, isOfRecord } from '../fault.ts';
import type { AttemptCounter } from '../ports/attempt-counter.ts';
import type { FieldCondition, UserPage } from '../ports/user-listing.ts';

/** A state by which users can be listed. `blocked` is that of too many wrong passwords. */
export type ListedState = 'disabled' | 'password_change_required' | 'invited' | 'blocked';

/** What `isInactive` means for stores, if checks were recorded before the time. */
const inactiveConditions = ({ before }: Inactivity): readonly FieldCondition[] => {
  const earlier = { test: 'absentOrBefore', value: before } as const;
  return [
    { field: 'lastCheckTime', ...earlier },
    { field: 'creationTime', ...earlier },
    { field: 'passwordTime', ...earlier },
    { field: 'invitationTime', ...earlier },
    { field: 'importTime', ...earlier, unless: 'lastCheckTime' },
  ];
};

/** Which users a list has. */
export interface ListedUsersFilter {
  /** Undefined lists verified and unverified users. */
  readonly verified?: boolean | undefined;
  /** Undefined lists active users, too. */
  readonly inactive?: Inactivity | undefined;
  /** Undefined lists users in every state. */
  readonly state?: ListedState | undefined;
}

/** The conditions of a filter for stores, as far as they can be told from a user alone. */
export const conditionsOf = (
  { verified, inactive, state }: ListedUsersFilter,
  now: number,
): readonly FieldCondition[] => {
  const others: FieldCondition[] = [
    ...(verified === undefined ? [] : [{ field: 'verified', test: 'equals', value: verified } as const]),
    ...(inactive === undefined ? [] : inactiveConditions(inactive)),
  ];
  if (state === undefined || state === 'blocked') return others;
  if (state === 'password_change_required') return [...others, { field: 'changeRequiredTime', test: 'exists' }];
  if (state === 'invited') return [...others, { field: 'invitationTime', test: 'exists' }];
  return [
    ...others,
    { field: 'disabledTime', test: 'exists' },
    { field: 'disabledUntil', test: 'absentOrAfter', value: now },
  ];
};

/** How many counts of wrong passwords are read at once, so that a list leaves calls to the database for logins. */
const countsAtOnce = 16;

/** Users, and the records that cannot be read. */
export type Selection = Required<Pick<UserPage, 'users' | 'unreadable'>>;

/** Whether a user is blocked because of wrong passwords under one of these keys, or why the count cannot be read. */
const isBlocked = async (keys: readonly UserKey[], attempts: AttemptCounter): Promise<boolean | Fault> => {
  try {
    for (const user of keys) if ((await attempts.status({ user, client: undefined })).blockedForMs > 0) return true;
    return false;
  } catch (error) {
    if (isOfRecord(error)) return error;
    throw error;
  }
};

/** The users who are blocked because of wrong passwords, which are counted under whichever key a request had. */
export const blockedOf = async (
  users: readonly User[],
  attempts: AttemptCounter,
  unique: readonly UniqueProperty[],
): Promise<Selection> => {
  const blocked: User[] = [];
  const unreadable: Fault[] = [];
  for (let start = 0; start < users.length; start += countsAtOnce) {
    const some = users.slice(start, start + countsAtOnce);
    const found = await Promise.all(some.map((user) => isBlocked(wantedKeys(user, unique), attempts)));
    blocked.push(...some.filter((_, index) => found[index] === true));
    unreadable.push(...found.filter((outcome) => outcome instanceof Fault));
  }
  return { users: blocked, unreadable };
};
