import type { EmailAddress } from './email-address.ts';
import { isExpired } from './one-time-token.ts';
import type { Email, User } from './user.ts';
import { isSameMailbox, updateTime, withoutLinks, withoutPending } from './user-update.ts';

/** A change of address that the new mailbox has to confirm. */
export interface AddressChange {
  readonly pending: EmailAddress;
  /** The digests of the tokens that were sent to the new address, and to the present one. */
  readonly pendingDigest: string;
  readonly cancelDigest: string;
}

/** The user who keeps the address until the new one is confirmed. Replaces an earlier change. */
export const requestChange = (user: User, change: AddressChange, now: number): User => ({
  ...user,
  email: { ...user.email, ...change, pendingTime: now, mailTime: now },
  lastUpdateTime: updateTime(user, now),
});

/** Whether a change to the mailbox of this address waits for its confirmation. */
export const isPending = ({ email: { pending } }: User, address: EmailAddress): boolean =>
  pending !== undefined && isSameMailbox(pending, address);

/** Whether a change that waits for its confirmation is too old. */
export const isChangeExpired = ({ email: { pendingTime } }: User, lifetimeMs: number, now: number): boolean =>
  pendingTime === undefined || isExpired(pendingTime, lifetimeMs, now);

/**
 * The digest of a link that was used, without the change itself, so that a second press of its button can be told from a
 * wrong token. The next change of the user that ends links removes it.
 */
const usedLink = (email: Email, name: 'pendingDigest' | 'cancelDigest'): Partial<Email> => {
  const { pendingTime, [name]: digest } = email;
  return { ...(pendingTime !== undefined && { pendingTime }), ...(digest !== undefined && { [name]: digest }) };
};

/** The verified user with the new address. Links that were sent to the former one end. The same object without a change. */
export const confirmChange = (user: User, now: number): User => {
  const { pending, ...email } = user.email;
  if (pending === undefined) return user;
  const { tokenTime: _, ...others } = withoutLinks(email);
  return {
    ...user,
    email: {
      ...others,
      ...usedLink(email, 'pendingDigest'),
      address: pending,
      verified: true,
      verificationToken: null,
    },
    lastUpdateTime: updateTime(user, now),
  };
};

/** The user without a change that waits for its confirmation, for changes that cancel it. The same object without one. */
export const withoutChange = (user: User): User =>
  user.email.pendingDigest === undefined && user.email.cancelDigest === undefined
    ? user
    : { ...user, email: withoutPending(user.email) };

/** The user who keeps the address. The same object without a change that waits for its confirmation. */
export const cancelChange = (user: User, now: number): User => {
  if (user.email.pending === undefined) return user;
  const email = { ...withoutPending(user.email), ...usedLink(user.email, 'cancelDigest') };
  return { ...user, email, lastUpdateTime: updateTime(user, now) };
};
