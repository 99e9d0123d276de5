import type { User } from './user.ts';
import { fieldOf, type UserField, userFields } from './user-fields.ts';

/** A user as stored, with the version of the store, which every write renews. */
export interface VersionedUser {
  readonly user: User;
  readonly version: string;
}

/** What an entity tag consists of (RFC 9110, section 8.8.3), with the longest version of a store. */
const entityTags = /^[!#-~]{1,200}$/;

/**
 * The entity tag of a user for callers: every change that they see gives another one, and bookkeeping keeps it. It is the
 * version, or else the tag from before bookkeeping, which is bound to `lastUpdateTime`: that rises with every change, so
 * that a kept tag ends also with a change by a release that does not know it.
 */
export const entityTagOf = ({ user, version }: VersionedUser): string => {
  const { keptTag } = user;
  if (keptTag === undefined) return version;
  if (!isBoundTo(user, keptTag)) return version;
  const tag = keptTag.slice(keptTag.lastIndexOf(' ') + 1);
  // Another program may have damaged it, and a header could not carry it.
  return entityTags.test(tag) ? tag : version;
};

/** Reading the number takes a fifth of the time of writing the other one. */
const isBoundTo = ({ lastUpdateTime }: User, keptTag: string): boolean =>
  Number(keptTag.slice(0, keptTag.indexOf(' '))) === lastUpdateTime;

const rehashedMark = ' rehashed ';

/** Whether the stored hash of the password was replaced since the user got the present entity tag. */
export const isRehashed = (user: User): boolean => {
  const { keptTag } = user;
  return keptTag?.includes(rehashedMark) === true && isBoundTo(user, keptTag);
};

/** The fields that bookkeeping leaves alone. It may store another hash of the same password. */
const seenFields = userFields.filter((field: UserField) => field.isBookkeeping !== true && field.name !== 'password');

/**
 * The user after bookkeeping: `next`, with the entity tag that `stored` has. Throws a TypeError if `next` differs in
 * more than bookkeeping, because callers who read the user before could then overwrite what they have not seen.
 */
export const afterBookkeeping = (stored: VersionedUser, next: User): User => {
  const changed = seenFields.find((field) => fieldOf(stored.user, field) !== fieldOf(next, field));
  if (changed !== undefined) throw new TypeError(`bookkeeping must not change ${changed.name}`);
  const mark = next.password !== stored.user.password || isRehashed(stored.user) ? rehashedMark : ' ';
  return { ...next, keptTag: `${next.lastUpdateTime}${mark}${entityTagOf(stored)}` };
};

/** The user after a change that callers see: its entity tag is the version of the write. */
export const withoutKeptTag = (user: User): User => {
  const { keptTag, ...others } = user;
  return keptTag === undefined ? user : others;
};
