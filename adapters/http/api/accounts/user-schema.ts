import { type UserField, userFields } from '../../../../domain/user-fields.ts';
import { addressFormat } from '../parameters.ts';
import type { ExampleChanges, RouteOptions } from '../route-options.ts';
import type { Schema, Tag } from '../route-types.ts';
import { idExample, idSchema, noOtherMembers, type ShownMembers, timeSchema } from './user-bodies.ts';

const schemaOfKind: Readonly<Record<UserField['kind'], Schema>> = {
  address: addressFormat,
  flag: { type: 'boolean' },
  text: { type: 'string' },
  time: timeSchema,
  id: idSchema,
  properties: {},
};

const descriptionOf: Readonly<Partial<Record<UserField['name'], string>>> = {
  lastCheckTime:
    'When the password was last right, in milliseconds since the epoch; only in lists, because it changes without a new ETag.',
  verificationToken: 'Null until a verification mail is requested.',
  password: 'The stored form: a hash if the service hashes.',
};

const schemaOf = ({ kind, name, presence }: UserField): Schema => {
  const schema = schemaOfKind[kind];
  const description = descriptionOf[name];
  return {
    ...schema,
    ...(presence === 'nullable' && { type: [schema.type, 'null'] }),
    ...(description !== undefined && { description }),
  };
};

const passwordTimeSchema: Schema = {
  ...timeSchema,
  description: 'When the password was last set by a user or an administrator, in milliseconds since the epoch.',
};

/** The required members and the schemas of fields. */
const membersOf = (fields: readonly UserField[]) => ({
  required: fields.filter(({ presence }) => presence !== 'optional').map(({ name }) => name),
  properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
});

/** The names of the fields that responses leave out although they are not internal. */
export type HiddenFields = ReadonlySet<UserField['name']>;

/**
 * The schema of a user in responses (docs/api.md, “User”), from the fields that responses contain. `internal` names
 * those of them that only administrators see.
 */
export const userSchema = (
  hidden: HiddenFields,
  { passwordTime = false, ids = false }: ShownMembers,
  internal: ReadonlySet<UserField['name']>,
  title = 'User',
): Schema => {
  const fields: readonly UserField[] = userFields;
  const shown = fields.filter(
    ({ name, isInternal }) => (isInternal !== true || internal.has(name)) && !hidden.has(name),
  );
  const email = membersOf(shown.filter((field) => field.in === 'email'));
  const { required, properties } = membersOf(
    shown.filter((field) => field.in === 'user' && field.kind !== 'properties'),
  );
  return {
    title,
    type: 'object',
    required: ['email', ...required, ...(passwordTime ? ['passwordTime'] : [])],
    properties: {
      email: { title: `${title}Email`, type: 'object', ...email, ...noOtherMembers },
      ...properties,
      // Not required, because users from before `users.ids` have none until `latchkey ids` gives them one.
      ...(ids && { id: idSchema }),
      ...(passwordTime && { passwordTime: passwordTimeSchema }),
    },
    additionalProperties: true,
  };
};

/** The operations about users. */
export const usersTag: Tag = {
  name: 'Users',
  description: 'User accounts, identified by email address.',
  withIds: 'User accounts, identified by email address or id.',
};

/** Refers to the schema of a user in the OpenAPI document. */
export const userReference: Schema = { $ref: '#/components/schemas/User' };

const example = (
  hidden: HiddenFields,
  { verified = false, verificationToken = null, later = false }: ExampleChanges,
) => ({
  email: { address: 'jane@example.com', verified, ...(!hidden.has('verificationToken') && { verificationToken }) },
  ...(!hidden.has('password') && { password: '$2b$10$0zU0Fq6hYy5J0l1pQ0Jb8uQ6Fh7m2n1oQm0lO2J3sT4vX5yZ6aB7c' }),
  creationTime: 1767225600000,
  lastUpdateTime: later ? 1767229200000 : 1767225600000,
});

/** The headers of responses with a user. */
export const userHeaders = { ETag: 'The version of the user, for `If-Match`.' };

/**
 * Describes responses with a user without the hidden fields. `properties` are the custom properties of the example.
 */
export const userResponses =
  (
    hidden: HiddenFields,
    { passwordTime = false, ids = false }: ShownMembers,
    properties: Readonly<Record<string, unknown>> = { name: 'Jane' },
  ): RouteOptions['describeUser'] =>
  (description, changes = {}) => {
    const user = example(hidden, changes);
    const shown = {
      ...user,
      ...(ids && { id: idExample }),
      ...(passwordTime && { passwordTime: user.creationTime }),
      ...properties,
    };
    return {
      description,
      headers: userHeaders,
      content: { type: 'application/json', schema: userReference, example: shown },
    };
  };
