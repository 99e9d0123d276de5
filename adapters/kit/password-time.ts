import { isLeft } from 'fp-ts/lib/Either.js';
import { passwordTimeOf, type User } from '../../domain/user.ts';
import { type JsonObject, readJsonObject } from './exact-json.ts';
import { asProperties, noProperties, propertiesOf } from './user-json.ts';

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
