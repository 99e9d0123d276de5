import { type UserField, userFields } from '../../../domain/user.ts';
import type { ExampleChanges, RouteOptions } from './route-options.ts';
import type { BodyDescription, Schema } from './route-types.ts';

const emailMembers: Schema = {
  type: 'object',
  properties: {
    address: { type: 'string', format: 'email', maxLength: 254, examples: ['jane@example.com'] },
    verified: { type: 'boolean' },
    verificationToken: { type: ['string', 'null'] },
  },
  additionalProperties: false,
};

const emailSchema: Schema = { title: 'Email', required: ['address'], ...emailMembers };

const passwordSchema: Schema = { type: 'string', minLength: 1 };

/** The body of a create request. */
export const newUserBody: BodyDescription = {
  description: 'The new user. Every other top-level member is a custom property and is stored exactly.',
  schema: {
    title: 'NewUser',
    type: 'object',
    required: ['email', 'password'],
    properties: { email: emailSchema, password: passwordSchema },
    additionalProperties: true,
  },
  examples: {
    simple: {
      summary: 'A user',
      value: { email: { address: 'jane@example.com' }, password: 'correct horse battery staple' },
    },
    properties: {
      summary: 'A user with custom properties',
      value: {
        email: { address: 'jane@example.com' },
        password: 'correct horse battery staple',
        name: 'Jane',
        visits: 3,
        tags: ['early'],
      },
    },
  },
};

/** The body of an update request. */
export const userUpdateBody: BodyDescription = {
  description:
    'The new state of the user. Custom properties are replaced. Without `password`, the password does not change. Without `email.verified` and `email.verificationToken`, these do not change either, unless the address changes, which resets them.',
  schema: {
    title: 'UserUpdate',
    type: 'object',
    required: ['email'],
    properties: { email: emailSchema, password: passwordSchema },
    additionalProperties: true,
  },
  examples: {
    properties: {
      summary: 'New custom properties',
      value: { email: { address: 'jane@example.com' }, name: 'Jane Doe', visits: 4 },
    },
    address: {
      summary: 'A new address (with ?email= the existing one)',
      value: { email: { address: 'jane.doe@example.com' }, name: 'Jane Doe' },
    },
    password: {
      summary: 'A new password',
      value: { email: { address: 'jane@example.com' }, password: 'a better horse', name: 'Jane Doe' },
    },
  },
};

/** The body of a patch request. */
export const userPatchBody: BodyDescription = {
  description:
    'A JSON merge patch (RFC 7396) of the user. Members that it does not name keep their value, exactly as it was written; null removes a custom property, or a member of one. `email` may have any of its members, and neither it, its address nor `password` can be removed. Times are ignored.',
  schema: {
    title: 'UserPatch',
    type: 'object',
    properties: { email: { title: 'EmailPatch', ...emailMembers }, password: passwordSchema },
    additionalProperties: true,
  },
  examples: {
    properties: {
      summary: 'Sets a custom property, changes a part of another one, and removes a third one',
      value: { plan: 'pro', settings: { theme: 'dark' }, trial: null },
    },
    address: { summary: 'A new address', value: { email: { address: 'jane.doe@example.com' } } },
    password: { summary: 'A new password', value: { password: 'a better horse' } },
  },
};

const schemaOfKind: Readonly<Record<UserField['kind'], Schema>> = {
  address: { type: 'string', format: 'email' },
  flag: { type: 'boolean' },
  text: { type: 'string' },
  time: { type: 'integer', description: 'Milliseconds since the epoch.' },
  properties: {},
};

const descriptionOf: Readonly<Partial<Record<UserField['name'], string>>> = {
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
  ...schemaOfKind.time,
  description: 'When the password was last set by a user or an administrator, in milliseconds since the epoch.',
};

/** The required members and the schemas of fields. */
const membersOf = (fields: readonly UserField[]) => ({
  required: fields.filter(({ presence }) => presence !== 'optional').map(({ name }) => name),
  properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
});

/**
 * The schema of a user in responses (specification, section 2), from the fields that responses contain. `internal` names
 * those of them that only administrators see.
 */
export const userSchema = (
  withPassword: boolean,
  withPasswordTime: boolean,
  internal: ReadonlySet<UserField['name']> = new Set(),
): Schema => {
  const fields: readonly UserField[] = userFields;
  const shown = fields.filter(
    ({ name, isInternal }) => (isInternal !== true || internal.has(name)) && (withPassword || name !== 'password'),
  );
  const email = membersOf(shown.filter((field) => field.in === 'email'));
  const { required, properties } = membersOf(
    shown.filter((field) => field.in === 'user' && field.kind !== 'properties'),
  );
  return {
    type: 'object',
    required: ['email', ...required, ...(withPasswordTime ? ['passwordTime'] : [])],
    properties: {
      email: { type: 'object', ...email, additionalProperties: false },
      ...properties,
      ...(withPasswordTime && { passwordTime: passwordTimeSchema }),
    },
    additionalProperties: true,
  };
};

/** Refers to the schema of a user in the OpenAPI document. */
export const userReference: Schema = { $ref: '#/components/schemas/User' };

const example = ({ verified = false, verificationToken = null, later = false }: ExampleChanges) => ({
  email: { address: 'jane@example.com', verified, verificationToken },
  password: '$2b$10$0zU0Fq6hYy5J0l1pQ0Jb8uQ6Fh7m2n1oQm0lO2J3sT4vX5yZ6aB7c',
  creationTime: 1767225600000,
  lastUpdateTime: later ? 1767229200000 : 1767225600000,
  name: 'Jane',
});

/** The headers of responses with a user. */
export const userHeaders = { ETag: 'The version of the user, for `If-Match`.' };

/** Describes responses with a user, with or without the stored form of the password and the time when it was set. */
export const userResponses =
  (withPassword: boolean, withPasswordTime: boolean): RouteOptions['describeUser'] =>
  (description, changes = {}) => {
    const whole = example(changes);
    const { password: _, ...others } = whole;
    const passwordTime = withPasswordTime ? { passwordTime: others.creationTime } : {};
    const shown = { ...(withPassword ? whole : others), ...passwordTime };
    return {
      description,
      headers: userHeaders,
      content: { type: 'application/json', schema: userReference, example: shown },
    };
  };
