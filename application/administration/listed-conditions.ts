import type { Inactivity } from '../../domain/user-state.ts';
import type { FieldCondition } from '../ports/user-listing.ts';

/** A state by which users can be listed. `blocked` is that of too many wrong passwords. */
export type ListedState = 'disabled' | 'password_change_required' | 'invited' | 'blocked';

/** What `isInactive` means for stores, if checks were recorded before the time. */
const inactiveConditions = ({ before }: Inactivity): readonly FieldCondition[] => {
  const earlier = { test: 'absentOrBefore', value: before } as const;
  return [
    { field: 'lastCheckTime', ...earlier },
    { field: 'creationTime', ...earlier },
    { field: 'passwordTime', ...earlier },
    { field: 'importTime', ...earlier, unless: 'lastCheckTime' },
  ];
};

/** Which users a list has. */
export interface ListedUsersFilter {
  /** Undefined lists verified and unverified users. */
  readonly verified: boolean | undefined;
  /** Undefined lists active users, too. */
  readonly inactive?: Inactivity | undefined;
  /** Undefined lists users in every state. */
  readonly state: ListedState | undefined;
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
