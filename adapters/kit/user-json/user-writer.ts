import { CustomProperties, type User } from '../../../domain/user.ts';
import { fieldOf, type UserField, userFields } from '../../../domain/user-fields.ts';
import { stateFields } from '../../../domain/user-state.ts';

/** The text of a JSON object as custom properties. Throws a TypeError on any other text, which is a bug of the caller. */
export const asProperties = (json: string): CustomProperties => {
  if (!CustomProperties.is(json)) throw new TypeError('custom properties are the text of a JSON object');
  return json;
};

export const noProperties: CustomProperties = asProperties('{}');

/** The members of a user that are not custom properties (docs/api.md, "User"): `email` and the fields next to it. */
export const fixedFields: ReadonlySet<string> = new Set(
  userFields.flatMap(({ in: owner, name, kind }) =>
    owner === 'email' ? ['email'] : kind === 'properties' ? [] : [name],
  ),
);

/** A field with the JSON that precedes its value. */
const toMember = (field: UserField) => ({ field, start: `,"${field.name}":` });

/** The members that have a value, each after a comma. */
const jsonOf = (user: User, members: readonly ReturnType<typeof toMember>[]): string => {
  let json = '';
  for (const { field, start } of members) {
    const value = fieldOf(user, field);
    if (typeof value === 'string') json += start + JSON.stringify(value);
    else if (value !== undefined) json += start + value;
  }
  return json;
};

/** Writes these fields of a user as compact JSON, and then the custom properties exactly as they were written. */
export const writerOf = (fields: readonly UserField[]): ((user: User) => string) => {
  const ofEmail = fields.filter((field) => field.in === 'email').map(toMember);
  const outsideEmail = fields.filter((field) => field.in === 'user' && field.kind !== 'properties').map(toMember);
  return (user) =>
    `{"email":{${jsonOf(user, ofEmail).slice(1)}}${jsonOf(user, outsideEmail)}${user.properties === noProperties ? '}' : `,${user.properties.slice(1)}`}`;
};

/** Fields in the order of the lines of an export: the internal ones, followed by those of every response. */
export const inLineOrder = (fields: readonly UserField[]): readonly UserField[] => [
  ...fields.filter(({ isInternal }) => isInternal === true),
  ...fields.filter(({ isInternal }) => isInternal !== true),
];

/** The fields of users in responses, with or without the stored hash. */
export const publicFields = (withPassword: boolean): readonly UserField[] =>
  userFields.filter((field: UserField) => field.isInternal !== true && (withPassword || field.name !== 'password'));

export const responseFields = publicFields(true);

/** The compact JSON of a user in responses. */
export const userJson = writerOf(responseFields);

/** The same without the stored hash. */
export const userJsonWithoutPassword = writerOf(publicFields(false));

const states: ReadonlySet<UserField['name']> = new Set(stateFields);

/** Every field of a user that is no password, token or digest. */
export const exportedFields = userFields.filter(({ name, kind }: UserField) => kind !== 'text' || states.has(name));

/** A user as one line of an export, without the fields that are never shown. */
export const exportedUser = writerOf(inLineOrder(exportedFields));
