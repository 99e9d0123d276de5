import { idIn, propertyIn, type UserName } from '../../../../domain/user-name.ts';
import { exportedUser } from '../../../kit/user-json/exported-user.ts';
import type { Found } from './administration-parameters.ts';

/** The entry by which a person is found, or that keeps the mailbox: `id`, `mailbox`, or a unique property with its folded value. */
const entryOf = (name: UserName) => {
  const id = idIn(name);
  if (id !== undefined) return { property: 'id', value: id };
  return { property: propertyIn(name) ?? 'mailbox', value: name.split(' ').slice(2).join(' ') };
};

/** Everything about a person as one JSON document, without hashes, tokens and digests: it is given to the person. */
export const personJson = ({ user, names, ...others }: Found<'GatherPerson'>): string =>
  // The custom properties are text, which no number format may change.
  `{"user":${user === undefined ? 'null' : exportedUser(user)},${JSON.stringify({ names: names.map(entryOf), ...others }).slice(1)}`;
