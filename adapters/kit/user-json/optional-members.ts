import { isLeft } from 'fp-ts/lib/Either.js';
import { isExpired } from '../../../domain/one-time-token.ts';
import { passwordTimeOf, type User, type WaitingMove } from '../../../domain/user.ts';
import { type UserField, userFields } from '../../../domain/user-fields.ts';
import { type JsonObject, readJsonObject } from '../exact-json.ts';
import { propertiesOf } from './user-codecs.ts';
import { asProperties, noProperties, writerOf } from './user-writer.ts';

// What responses have only with some features: `passwordTime` and `email.pending`. Bodies may repeat both.

/** The member of a user in responses that says when the password was set, in milliseconds since the epoch. */
const name = 'passwordTime';

/** The name, or an escape with which it may be written. */
const mayBeIn = /passwordTime|\\/;

/** A body without `passwordTime`, which the service sets itself: the member is ignored like `creationTime`. */
export const withoutPasswordTime = (body: JsonObject): JsonObject => ({
  values: body.values,
  members: body.members.filter((member) => member.name !== name),
});

/** Custom properties without one of that name, which was stored while the service did not show the time. */
const othersOf = (properties: User['properties']): User['properties'] => {
  if (!mayBeIn.test(properties)) return properties;
  const object = readJsonObject(properties);
  return isLeft(object) ? properties : propertiesOf(withoutPasswordTime(object.right));
};

/** Adds `passwordTime` to the JSON of users that `write` returns. */
export const withPasswordTime =
  (write: (user: User) => string): ((user: User) => string) =>
  (user) => {
    const others = othersOf(user.properties);
    const time = `{"${name}":${passwordTimeOf(user)}`;
    return write({
      ...user,
      properties: asProperties(others === noProperties ? `${time}}` : `${time},${others.slice(1)}`),
    });
  };

/** A body without `email.pending`, which the service sets itself: the member is ignored like `creationTime`. */
export const withoutPendingMember = ({ values, members }: JsonObject): JsonObject => {
  const { email } = values;
  if (typeof email !== 'object' || email === null || Array.isArray(email)) return { values, members };
  const others = Object.fromEntries(Object.entries(email).filter(([name]) => name !== 'pending'));
  return { values: { ...values, email: others }, members };
};

/** The move of a user that is shown: until it is confirmed or cancelled, or `lifetimeMs` old; null hides it. */
export const shownMove = ({ addressMove }: User, lifetimeMs: number | null): WaitingMove | undefined =>
  lifetimeMs === null || addressMove?.to === undefined || isExpired(addressMove.since, lifetimeMs, Date.now())
    ? undefined
    : addressMove;

/** Writes these fields of users, with `email.pending` until the move is `lifetimeMs` old. */
export const pendingWriter = (shown: readonly UserField[], lifetimeMs: number): ((user: User) => string) => {
  const write = writerOf(shown);
  const writePending = writerOf(
    userFields.filter((field: UserField) => field.name === 'pending' || shown.includes(field)),
  );
  return (user) => (shownMove(user, lifetimeMs) === undefined ? write(user) : writePending(user));
};
