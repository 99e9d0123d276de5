import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Queries } from '../../../../application/bus.ts';
import type { Clock } from '../../../../application/ports/clock.ts';
import { keyPrefix } from '../../../../domain/email-address.ts';
import { age } from '../../../kit/option-codecs.ts';
import { optionalParameter } from '../../api/parameters.ts';
import type { Parameter } from '../../api/route-types.ts';
import { inQuery } from './administration-parameters.ts';
import { type Order, orderOf, sortIn, sorts } from './list-cursors.ts';

type ListedState = NonNullable<Queries['ListUsers']['message']['state']>;
type Property = NonNullable<Queries['ListUsers']['message']['property']>;

const maxAddressLength = 254;

/** A part of the addresses to list; empty for all. */
const partOfAddress = (name: string, description: string, example: string): Parameter<string> =>
  inQuery(
    { name, description, schema: { type: 'string', minLength: 1, maxLength: maxAddressLength }, example },
    '',
    (text) =>
      [...text].length <= maxAddressLength
        ? right(keyPrefix(text))
        : left(`must be at most ${maxAddressLength} characters`),
  );

export const address = partOfAddress('address', 'The beginning of the addresses, in any case.', 'jane');

export const addressContains = partOfAddress(
  'addressContains',
  'Any part of the addresses, in any case.',
  '@example.com',
);

const flagIn = (text: string): Either<string, boolean> =>
  text === 'true' || text === 'false' ? right(text === 'true') : left('must be true or false');

/** Whether to list verified or unverified users only. */
export const verified = inQuery<boolean | undefined>(
  {
    name: 'verified',
    description: 'Lists only users whose address is verified, or only those whose address is not.',
    schema: { type: 'boolean' },
    example: 'false',
  },
  undefined,
  flagIn,
);

/** The states by which users can be listed; `invited` only where users are. */
export const listedStates = [
  'disabled',
  'password_change_required',
  'invited',
  'blocked',
] as const satisfies ListedState[];

/** Whether to list only users in one state. */
export const stateIn = (invites: boolean): Parameter<ListedState | undefined> => {
  const states = listedStates.filter((name) => invites || name !== 'invited');
  const invited = invites ? ' those who are invited and have not chosen a password yet,' : '';
  return inQuery<ListedState | undefined>(
    {
      name: 'state',
      description: `Lists only disabled users, those who have to set a new password,${invited} or those whom wrong passwords block now.`,
      schema: { title: 'ListedState', type: 'string', enum: states },
      example: 'disabled',
    },
    undefined,
    (text) => {
      const listed = states.find((name) => name === text);
      return listed === undefined ? left(`must be one of ${states.join(', ')}`) : right(listed);
    },
  );
};

/** The time that was this long before `now`; NaN for a text that is no duration. */
export const sinceAgo = (text: string, now: number): number => {
  const duration = age.decode(text);
  return isLeft(duration) ? Number.NaN : Math.round(now - duration.right);
};

/** The time before which passwords were last right. */
export const inactiveTime = (clock: Clock) =>
  inQuery<number | undefined>(
    {
      name: 'inactiveSince',
      description:
        'Lists only users whose password was not right since this time, in milliseconds since the epoch, or for this long. Those whose password was never right count from their creation or import; nobody counts from before `activity.since`.',
      schema: { type: 'string', pattern: '^\\d+ ?[a-z]*$' },
      example: '90d',
    },
    undefined,
    (text) => {
      const time = /^\d{1,16}$/.test(text) ? Number(text) : sinceAgo(text, clock.now());
      return Number.isSafeInteger(time)
        ? right(time)
        : left('must be whole milliseconds since the epoch, or a duration such as 36h, 90d or 2y');
    },
  );

/** Refuses it where nothing is recorded: a list without the filter would have active users, whom a script may delete. */
export const noInactiveTime: Parameter<undefined> = {
  ...inQuery<undefined>({ name: 'inactiveSince', description: '', schema: {}, example: '' }, undefined, () =>
    left('needs the block activity'),
  ),
  alternatives: [],
};

/** The longest name and value of a property to search for, in characters. */
export const maxPropertyLength = 500;

const propertySchema = { type: 'string', minLength: 1, maxLength: maxPropertyLength } as const;
const isTooLong = (text: string): boolean => [...text].length > maxPropertyLength;
const tooLong = `must be at most ${maxPropertyLength} characters`;

/** The custom property of the users to list, with the value in the parameter `value`. */
export const property = inQuery<Property | undefined>(
  {
    name: 'property',
    description: 'The name of a custom property that has the `value`; not that of a member of its value.',
    schema: propertySchema,
    example: 'plan',
  },
  undefined,
  (name, query) => {
    if (isTooLong(name)) return left(tooLong);
    const value = optionalParameter(query, 'value');
    if (isLeft(value)) return right(undefined);
    return value.right === undefined ? left('must be given with value') : right({ name, value: value.right });
  },
);

/** Read with the parameter `property`. */
export const value = inQuery<undefined>(
  {
    name: 'value',
    description: 'The value of the `property`: the same text, an equal number, `true` or `false`.',
    schema: propertySchema,
    example: 'paid',
  },
  undefined,
  (text, query) => {
    if (isTooLong(text)) return left(tooLong);
    return query.some(([name]) => name === 'property') ? right(undefined) : left('must be given with property');
  },
);

/** The order of the users. */
export const sort = inQuery<Order | undefined>(
  {
    name: 'sort',
    description: 'Sorts by the creation or by the last change; with a minus sign, the last ones come first.',
    schema: { title: 'UserOrder', type: 'string', enum: sorts },
    example: '-creationTime',
  },
  undefined,
  (text) => {
    const known = sortIn(text);
    return known === undefined ? left(`must be one of ${sorts.join(', ')}`) : right(orderOf(known));
  },
);

/** Whether to count the users. */
export const total = inQuery<boolean>(
  {
    name: 'total',
    description: 'Adds the number of all users that match.',
    schema: { type: 'boolean', default: false },
    example: 'true',
  },
  false,
  flagIn,
);
