import { isMoveExpired } from '../../domain/address-move.ts';
import type { User, WaitingMove } from '../../domain/user.ts';
import { type UserField, userFields } from '../../domain/user-fields.ts';
import type { JsonObject } from './exact-json.ts';
import { writerOf } from './user-json.ts';

/** A body without `email.pending`, which the service sets itself: the member is ignored like `creationTime`. */
export const withoutPendingMember = ({ values, members }: JsonObject): JsonObject => {
  const { email } = values;
  if (typeof email !== 'object' || email === null || Array.isArray(email)) return { values, members };
  const others = Object.fromEntries(Object.entries(email).filter(([name]) => name !== 'pending'));
  return { values: { ...values, email: others }, members };
};

/** The move of a user that is shown: until it is confirmed or cancelled, or `lifetimeMs` old; null hides it. */
export const shownMove = ({ addressMove }: User, lifetimeMs: number | null): WaitingMove | undefined =>
  lifetimeMs === null || addressMove?.to === undefined || isMoveExpired(addressMove, lifetimeMs, Date.now())
    ? undefined
    : addressMove;

/** Writes these fields of users, with `email.pending` until the change is `lifetimeMs` old. */
export const pendingWriter = (shown: readonly UserField[], lifetimeMs: number): ((user: User) => string) => {
  const write = writerOf(shown);
  const writePending = writerOf(
    userFields.filter((field: UserField) => field.name === 'pending' || shown.includes(field)),
  );
  return (user) => (shownMove(user, lifetimeMs) === undefined ? write(user) : writePending(user));
};
