import { isChangeExpired } from '../../domain/address-change.ts';
import { type User, type UserField, userFields } from '../../domain/user.ts';
import type { JsonObject } from './exact-json.ts';
import { writerOf } from './user-json.ts';

/** A body without `email.pending`, which the service sets itself: the member is ignored like `creationTime`. */
export const withoutPendingMember = ({ values, members }: JsonObject): JsonObject => {
  const { email } = values;
  if (typeof email !== 'object' || email === null || Array.isArray(email)) return { values, members };
  const others = Object.fromEntries(Object.entries(email).filter(([name]) => name !== 'pending'));
  return { values: { ...values, email: others }, members };
};

const publicFields = userFields.filter((field: UserField) => field.isInternal !== true);

/** Writes the JSON of users in responses, with `email.pending` until the change is `lifetimeMs` old. */
export const pendingWriter = (withPassword: boolean, lifetimeMs: number): ((user: User) => string) => {
  const shown = publicFields.filter(({ name }) => withPassword || name !== 'password');
  const write = writerOf(shown);
  const writePending = writerOf(userFields.filter((field) => field.name === 'pending' || shown.includes(field)));
  return (user) => {
    const isPending = user.email.pending !== undefined && !isChangeExpired(user, lifetimeMs, Date.now());
    return isPending ? writePending(user) : write(user);
  };
};
