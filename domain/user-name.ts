import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { type EmailAddress, type EmailKey, isKey, keyOf, mailboxOf } from './email-address.ts';
import { type Failure, type FieldError, failure } from './failure.ts';
import { invalidUserId, propertyOf, propertyValues, type User, UserId } from './user.ts';

declare const brand: unique symbol;

/**
 * A key other than the address, which at most one user has: `id ID`, or `property NAME VALUE` with the encoded name and
 * the folded value of a unique property. A mailbox that may have only one account is stored like a property, under a name
 * that no property has. The key of an address never starts with `id ` or `property `, because an address contains spaces
 * only between quotation marks.
 */
export type UserName = string & { readonly [brand]: 'UserName' };

/** What identifies a user: the address, or one of the names. */
export type UserKey = EmailKey | UserName;

const idPrefix = 'id ';
const propertyPrefix = 'property ';

/** Whether a text is a name, and not the key of an address. */
export const isUserName = (key: string): key is UserName => key.startsWith(idPrefix) || key.startsWith(propertyPrefix);

/** Whether a value may be a key or a name that the service stored. */
export const isUserKey = (value: unknown): value is UserKey =>
  isKey(value) || (typeof value === 'string' && isUserName(value));

const asName = (text: string): UserName => {
  if (!isUserName(text)) throw new TypeError('a name has its prefix');
  return text;
};

/** The name of an id. */
export const nameOfId = (id: UserId): UserName => asName(`${idPrefix}${id}`);

/** The id of a name; undefined for that of a property. */
export const idIn = (name: UserName): string | undefined =>
  name.startsWith(idPrefix) ? name.slice(idPrefix.length) : undefined;

/** A custom property that no two users share. */
export interface UniqueProperty {
  readonly name: string;
  /** The form in which values are compared; undefined for a value that no user can have. */
  readonly fold: (value: unknown) => string | undefined;
  /** What to write where no user can have a value. */
  readonly requirement?: string;
}

/** The name of a value of a unique property; undefined for a value that no user can have. */
export const nameOfProperty = ({ name, fold }: UniqueProperty, value: unknown): UserName | undefined => {
  const folded = fold(value);
  return folded === undefined ? undefined : asName(`${propertyPrefix}${encodeURIComponent(name)} ${folded}`);
};

/** Stands for a value that no user can have. It finds no user, because the encoded name of a property is never a slash. */
export const unknownName: UserName = asName(`${propertyPrefix}/ `);

// No encoded name of a property has a slash. Releases without this kind keep it as they keep names of other properties.
const mailboxPrefix = `${propertyPrefix}/mailbox `;

/** The name of the mailbox of an address, which a new user has where each mailbox may have one account. */
export const nameOfMailbox = (address: EmailAddress): UserName => asName(`${mailboxPrefix}${mailboxOf(address)}`);

export const isMailboxName = (name: UserName): boolean => name.startsWith(mailboxPrefix);

/** The property of a name; undefined for that of an id or a mailbox. */
export const propertyIn = (name: UserName): string | undefined =>
  name.startsWith(propertyPrefix) && !isMailboxName(name) ? decodeURIComponent(name.split(' ', 2)[1] ?? '') : undefined;

/**
 * The id of a user, which may stand in the custom property `id` from before users had ids; undefined without one. Left: the
 * property cannot be the id.
 * @internal
 */
export const presentId = (user: User): Either<Failure<'invalid_properties'>, UserId | undefined> => {
  const property = propertyOf(user, 'id') ?? undefined;
  if (property === undefined) return right(user.id);
  const id = Number.isSafeInteger(property) ? String(property) : property;
  const invalid = (message: string) => left(failure('invalid_properties', [{ path: 'id', message }]));
  if (!UserId.is(id)) return invalid(invalidUserId);
  return user.id === undefined || user.id === id ? right(id) : invalid('differs from the id that the user has');
};

/** The names that a user is to have. */
export const namesOf = (user: User, unique: readonly UniqueProperty[]): readonly UserName[] => {
  const names: UserName[] = user.id === undefined ? [] : [nameOfId(user.id)];
  if (unique.length === 0) return names;
  const values = propertyValues(user);
  for (const property of unique) {
    const name = nameOfProperty(property, values.get(property.name));
    if (name !== undefined) names.push(name);
  }
  return names;
};

/** The keys that a user is to have: that of the address first. */
export const wantedKeys = (user: User, unique: readonly UniqueProperty[]): readonly UserKey[] => [
  keyOf(user.email.address),
  ...namesOf(user, unique),
];

/**
 * The names of properties that are not unique in this process and keep their values. They may be unique in another process,
 * whose configuration is newer, so that no other user may take them.
 */
const namesOfOthers = (
  held: readonly UserName[],
  previous: User,
  next: User,
  unique: readonly UniqueProperty[],
): readonly UserName[] => {
  const others = held.filter((name) => {
    const property = propertyIn(name);
    return property !== undefined && !unique.some((one) => one.name === property);
  });
  if (others.length === 0) return [];
  const [before, after] = [propertyValues(previous), propertyValues(next)];
  return others.filter((name) => before.get(propertyIn(name) ?? '') === after.get(propertyIn(name) ?? ''));
};

/**
 * The mailbox of a user after a change. It becomes free when the address moves to another one, which is not taken: mailboxes
 * are compared only when users are created.
 */
const mailboxAfter = (held: readonly UserName[], { email }: User): readonly UserName[] =>
  held.filter((name) => isMailboxName(name) && name === nameOfMailbox(email.address));

/**
 * The names of a user after a change. A change takes a name only with the value that it belongs to: one that the user
 * should have had before, and does not, is left to `latchkey reindex`, so that it cannot make other changes fail.
 */
export const namesAfter = (
  held: readonly UserName[],
  previous: User,
  next: User,
  unique: readonly UniqueProperty[],
): readonly UserName[] => {
  const mailbox = mailboxAfter(held, next);
  if (next.properties === previous.properties && next.id === previous.id)
    return mailbox.length === held.filter(isMailboxName).length ? held : held.filter((name) => !isMailboxName(name));
  const names = [...namesOf(next, unique), ...namesOfOthers(held, previous, next, unique), ...mailbox];
  if (names.every((name) => held.includes(name))) return names.length === held.length ? held : names;
  const before = namesOf(previous, unique);
  return names.filter((name) => held.includes(name) || !before.includes(name));
};

/** The errors of the values of unique properties that no user can have, without those of `previous`. */
export const uniqueErrors = (
  user: Pick<User, 'properties'>,
  unique: readonly UniqueProperty[],
  previous?: User,
): readonly FieldError[] => {
  if (user.properties === previous?.properties) return [];
  const values = propertyValues(user);
  const before = previous && propertyValues(previous);
  return unique
    .filter(({ name, fold }) => values.has(name) && fold(values.get(name)) === undefined)
    .filter(({ name }) => before === undefined || before.get(name) !== values.get(name))
    .map(({ name, requirement = 'must have a value that can be compared' }) => ({ path: name, message: requirement }));
};

/** That another user has the value of a unique property, which is named. */
export const propertyTaken = (name: UserName): Failure<'property_taken'> =>
  failure('property_taken', [{ path: propertyIn(name) ?? '', message: 'belongs to another user' }]);

/** That another user has an id, or the value of a unique property. */
export const nameTaken = (name: UserName): Failure<'id_taken' | 'property_taken'> =>
  propertyIn(name) === undefined ? failure('id_taken') : propertyTaken(name);

/** The same for a new user, whose mailbox may have an account already. */
export const newNameTaken = (name: UserName): Failure<'id_taken' | 'property_taken' | 'mailbox_taken'> =>
  isMailboxName(name) ? failure('mailbox_taken') : nameTaken(name);
