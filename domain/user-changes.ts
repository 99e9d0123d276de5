import type { User } from './user.ts';
import { fieldOf, type UserField, userFields } from './user-fields.ts';
import { isSameMailbox } from './user-update.ts';

/**
 * Whether a password was set. It has a time of its own, also if it is the one from before and has the same hash. Another
 * hash of the same password keeps the time.
 */
export const isPasswordChanged = (previous: User, next: User): boolean => previous.passwordTime !== next.passwordTime;

/** Whether the mailbox is another one. Receivers that identify users by address need not act on the case of ASCII letters. */
export const isAddressChanged = (previous: User, next: User): boolean =>
  !isSameMailbox(previous.email.address, next.email.address);

/** Whether the address was verified, or is not verified any more. */
export const isVerificationChanged = (previous: User, next: User): boolean =>
  previous.email.verification.verified !== next.email.verification.verified;

/** Whether a change is about what no event but `user.updated` reports: a required change, or a requested address. */
export const isUnnamedChange = (previous: User, next: User): boolean =>
  previous.requiredChangeTime !== next.requiredChangeTime || previous.addressMove?.to !== next.addressMove?.to;

/** The fields whose changes are named: those of responses except the time of the change itself, and those above. */
const namedFields = userFields.filter(
  ({ isInternal, name, member, kind }: UserField) =>
    (isInternal !== true || member === 'requiredChangeTime' || member === 'to' || kind === 'id') &&
    name !== 'lastUpdateTime' &&
    kind !== 'properties',
);

/** The named fields that differ, without custom properties. */
export const changedFields = (previous: User, next: User): readonly UserField[] =>
  namedFields.filter((field) => fieldOf(previous, field) !== fieldOf(next, field));
