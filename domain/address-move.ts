import type { EmailAddress } from './email-address.ts';
import { isExpired } from './one-time-token.ts';
import type { User, WaitingMove } from './user.ts';
import { isSameMailbox, updateTime, withoutLinks } from './user-update.ts';

const defaultMoveLifetimeMs = 24 * 60 * 60_000;

/** How long a new address waits for its confirmation: as long as a verification link is valid, or a day if that never ends. */
export const moveLifetimeOf = (tokenLifetimeMs: number | null): number => tokenLifetimeMs ?? defaultMoveLifetimeMs;

/** The user who keeps the address until the new one is confirmed. Replaces an earlier move. */
export const requestMove = (user: User, move: Omit<WaitingMove, 'since'>, now: number): User => ({
  ...user,
  email: { ...user.email, mailTime: now },
  addressMove: { ...move, since: now },
  lastUpdateTime: updateTime(user, now),
});

/** The move until it is confirmed, cancelled or `lifetimeMs` old. Undefined with null, where no address is confirmed. */
export const waitingMove = ({ addressMove }: User, lifetimeMs: number | null, now: number): WaitingMove | undefined =>
  lifetimeMs === null || addressMove?.to === undefined || isExpired(addressMove.since, lifetimeMs, now)
    ? undefined
    : addressMove;

/** Whether a move to the mailbox of this address waits for its confirmation, as in `waitingMove`. */
export const waitsFor = (user: User, address: EmailAddress, lifetimeMs: number, now: number): boolean => {
  const move = waitingMove(user, lifetimeMs, now);
  return move !== undefined && isSameMailbox(move.to, address);
};

/** The verified user with the new address. Links that were sent to the former one end. The same object without a move. */
export const confirmMove = (user: User, now: number): User => {
  const { addressMove } = user;
  if (addressMove?.to === undefined) return user;
  const { to, since, confirmDigest } = addressMove;
  return {
    ...withoutLinks(user),
    email: { ...user.email, address: to, verification: { verified: true, token: null } },
    addressMove: { since, confirmDigest },
    lastUpdateTime: updateTime(user, now),
  };
};

/** The user without a move that waits for its confirmation, for changes that cancel it. The same object without one. */
export const withoutMove = (user: User): User => {
  const { addressMove, ...others } = user;
  return addressMove === undefined ? user : others;
};

/** The user who keeps the address. The same object without a move that waits for its confirmation. */
export const cancelMove = (user: User, now: number): User => {
  const { addressMove } = user;
  if (addressMove?.to === undefined) return user;
  const { since, cancelDigest } = addressMove;
  return { ...user, addressMove: { since, cancelDigest }, lastUpdateTime: updateTime(user, now) };
};
