import { idIn, propertyIn, type UserName } from '../../../../domain/user-name.ts';
import { exportedUser } from '../../../kit/user-json/user-writer.ts';
import type { Found } from './administration-parameters.ts';

/** The entry by which a person is found, or that keeps the mailbox: `id`, `mailbox`, or a unique property with its folded value. */
const entryOf = (name: UserName) => {
  const id = idIn(name);
  if (id !== undefined) return { property: 'id', value: id };
  return { property: propertyIn(name) ?? 'mailbox', value: name.split(' ').slice(2).join(' ') };
};

/** The custom properties of a sign-up are text, which no number format may change. */
const requestJson = (request: object): string => {
  if (!('properties' in request) || typeof request.properties !== 'string') return JSON.stringify(request);
  const { properties, ...others } = request;
  return `${JSON.stringify(others).slice(0, -1)},"properties":${properties}}`;
};

/** Everything about a person as one JSON document, without hashes, tokens and digests: it is given to the person. */
export const personJson = ({ user, names, requests, ...others }: Found<'GatherPerson'>): string => {
  const shown = user === undefined ? 'null' : exportedUser(user);
  const rest = JSON.stringify({ names: names.map(entryOf), ...others }).slice(1);
  return `{"user":${shown},"requests":[${requests.map(requestJson).join()}],${rest}`;
};
