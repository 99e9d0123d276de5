import { type Either, isLeft, left, map } from 'fp-ts/lib/Either.js';
import { identity } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import type { Clock } from '../../../application/ports/clock.ts';
import { waitingMove } from '../../../domain/address-move.ts';
import type { FieldError } from '../../../domain/failure.ts';
import { passwordTimeOf, type User, type UserId, userIdType } from '../../../domain/user.ts';
import { type UserField, userFields } from '../../../domain/user-fields.ts';
import { type JsonObject, readJsonObject } from '../exact-json.ts';
import { fieldErrors, propertiesOf } from './user-codecs.ts';
import { asProperties, noProperties, writerOf } from './user-writer.ts';

// What responses have only with some features: `id`, `passwordTime` and `email.pending`. Bodies may repeat all of them.

type Write = (user: User) => string;

/** The top-level members that responses have only with some features. */
type OptionalMember = 'id' | 'passwordTime';

/** A name in double quotes, or an escape with which it may be written. */
const mayBeIn: Readonly<Record<OptionalMember, RegExp>> = { id: /"id"|\\/, passwordTime: /passwordTime|\\/ };

const without = (name: OptionalMember, { values, members }: JsonObject): JsonObject => ({
  values,
  members: members.filter((member) => member.name !== name),
});

/** A body without `passwordTime`, which the service sets itself: the member is ignored like `creationTime`. */
export const withoutPasswordTime = (body: JsonObject): JsonObject => without('passwordTime', body);

/** Custom properties without one of the name of a member, which was stored while the service did not show the member. */
const othersOf = (properties: User['properties'], name: OptionalMember): User['properties'] => {
  if (!mayBeIn[name].test(properties)) return properties;
  const object = readJsonObject(properties);
  return isLeft(object) ? properties : propertiesOf(without(name, object.right));
};

/** Writes a user with a further member, whose value is the JSON `value`. */
const writeWith = (write: Write, user: User, name: OptionalMember, value: string | number): string => {
  const others = othersOf(user.properties, name);
  const member = `{"${name}":${value}`;
  return write({
    ...user,
    properties: asProperties(others === noProperties ? `${member}}` : `${member},${others.slice(1)}`),
  });
};

/** Adds `passwordTime`, when the password was set, in milliseconds since the epoch, to the JSON that `write` returns. */
export const withPasswordTime =
  (write: Write): Write =>
  (user) =>
    writeWith(write, user, 'passwordTime', passwordTimeOf(user));

/**
 * Adds `id` to the JSON of users that have one. Other users show no `id`, not even a custom property of this name, which may
 * be the id of another user.
 */
export const withId =
  (write: Write): Write =>
  (user) =>
    // No character of an id is escaped in JSON.
    user.id === undefined
      ? write({ ...user, properties: othersOf(user.properties, 'id') })
      : writeWith(write, user, 'id', `"${user.id}"`);

/** Decodes a body. Left: every error. */
export type Decode<A> = (body: JsonObject) => Either<readonly FieldError[], A>;

/** The id that a body has; undefined without one. */
export interface OptionalId {
  readonly id?: UserId | undefined;
}

const idOfBody = t.partial({ id: userIdType });

/** Reads `id` in addition to what `decode` reads of the rest of a body. */
const decodeWithId =
  <A extends object>(decode: Decode<A>): Decode<A & OptionalId> =>
  (body) => {
    const decoded = decode(without('id', body));
    const { id } = body.values;
    if (id === undefined) return decoded;
    const own = idOfBody.decode({ id });
    if (isLeft(own)) return left([...fieldErrors(own.left), ...(isLeft(decoded) ? decoded.left : [])]);
    return map((others: A) => ({ ...others, id: own.right.id }))(decoded);
  };

/** Decodes bodies without the members that `trim` removes, and with the id if users have ids. */
export const bodyDecoder =
  (trim: (body: JsonObject) => JsonObject, ids: boolean) =>
  <A extends object>(decode: Decode<A>): Decode<A & OptionalId> => {
    const decodeTrimmed: Decode<A> = trim === identity ? decode : (body) => decode(trim(body));
    return ids ? decodeWithId(decodeTrimmed) : decodeTrimmed;
  };

/** A body without `email.pending`, which the service sets itself: the member is ignored like `creationTime`. */
export const withoutPendingMember = ({ values, members }: JsonObject): JsonObject => {
  const { email } = values;
  if (typeof email !== 'object' || email === null || Array.isArray(email)) return { values, members };
  const others = Object.fromEntries(Object.entries(email).filter(([name]) => name !== 'pending'));
  return { values: { ...values, email: others }, members };
};

/** Writes these fields of users, with `email.pending` until the move is `lifetimeMs` old. */
export const writerWithMove = (shown: readonly UserField[], lifetimeMs: number, clock: Clock): Write => {
  const write = writerOf(shown);
  const writeWithMove = writerOf(
    userFields.filter((field: UserField) => field.name === 'pending' || shown.includes(field)),
  );
  return (user) => (user.addressMove && waitingMove(user, lifetimeMs, clock.now()) ? writeWithMove(user) : write(user));
};
