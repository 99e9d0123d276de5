import { type Either, isLeft, isRight, left, map, mapLeft, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { keyOf } from '../../../domain/email-address.ts';
import type { FieldError } from '../../../domain/failure.ts';
import { invalidUserId, UserId } from '../../../domain/user.ts';
import { nameOfId, nameOfProperty, type UniqueProperty, type UserKey, unknownName } from '../../../domain/user-name.ts';
import type { JsonObject } from '../../kit/exact-json.ts';
import { emailCodec, fieldErrors } from '../../kit/user-json/user-codecs.ts';
import { emailReference, idExample, idSchema, noOtherMembers } from './accounts/user-bodies.ts';
import { addressKey, email, optionalAddress, optionalParameter } from './parameters.ts';
import { decodeOnly } from './request-body.ts';
import type { NamedError, Parameter, ParameterDescription, Query, Route, Schema } from './route-types.ts';

/** What names users besides the address. */
export interface ConfiguredNames {
  readonly ids?: boolean;
  readonly unique?: readonly UniqueProperty[];
}

/** A list in a sentence, such as `email, id and username`. */
const list = (items: readonly string[], conjunction: 'and' | 'or'): string =>
  items.length === 1 ? items.join() : `${items.slice(0, -1).join(', ')} ${conjunction} ${items.at(-1)}`;

/** A parameter of queries, and a member of bodies, by which a request identifies a user. */
interface KeyParameter extends Pick<ParameterDescription, 'name' | 'description' | 'schema' | 'example'> {
  /** Decodes a text, or a member of a body other than `email`. Left: the error. */
  decode(value: unknown): Either<string, UserKey>;
}

const { name: emailName, description, schema, example } = email;

const byAddress: KeyParameter = {
  name: emailName,
  description,
  schema,
  example,
  decode: (value) => addressKey(String(value)),
};

const byId: KeyParameter = {
  name: 'id',
  description: 'The id of the user.',
  schema: idSchema,
  example: idExample,
  decode: (value) => (UserId.is(value) ? right(nameOfId(value)) : left(invalidUserId)),
};

const byProperty = (property: UniqueProperty): KeyParameter => ({
  name: property.name,
  description: `The value of the unique property \`${property.name}\` of the user.`,
  schema: { type: 'string', minLength: 1 },
  example: 'jane',
  decode: (value) =>
    typeof value === 'string' || typeof value === 'number'
      ? right(nameOfProperty(property, value) ?? unknownName)
      : left('must be a string or a number'),
});

/** The only one of the parameters that is given. */
const onlyOf = (
  parameters: readonly KeyParameter[],
  isGiven: (name: string) => boolean,
): Either<NamedError, KeyParameter> => {
  const [first, second] = parameters.filter(({ name }) => isGiven(name));
  if (first !== undefined && second !== undefined)
    return left({ name: second.name, message: `must not be given together with ${first.name}` });
  if (first !== undefined) return right(first);
  const others = parameters.slice(1).map(({ name }) => name);
  return left({
    name: emailName,
    message: `is required${others.length === 0 ? '' : `, unless ${list(others, 'or')} is given`}`,
  });
};

/** What a query or a form says about the user: the name, its value as it is written, and the key. */
export interface WrittenKey {
  readonly name: string;
  readonly value: string;
  readonly key: UserKey;
}

type Errors = readonly FieldError[];
type Values = JsonObject['values'];
type TextOf = (name: string) => Either<string, string | undefined>;

const errorOf = ({ name: path, message }: NamedError): Errors => [{ path, message }];

const inForm =
  (values: Values): TextOf =>
  (name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined || typeof value === 'string' ? right(value) : left('must be given once');
  };

const isMissing = (text: ReturnType<TextOf>): boolean => isRight(text) && text.right === undefined;

const writtenKey = (parameters: readonly KeyParameter[], textOf: TextOf): Either<NamedError, WrittenKey> => {
  const chosen = onlyOf(parameters, (name) => !isMissing(textOf(name)));
  if (isLeft(chosen)) return chosen;
  const { name, decode } = chosen.right;
  const text = textOf(name);
  if (isLeft(text)) return left({ name, message: text.left });
  const { right: value = '' } = text;
  const key = decode(value);
  return isLeft(key) ? left({ name, message: key.left }) : right({ name, value, key: key.right });
};

const emailOfBody = t.type({ email: emailCodec({}) });

const keyInBody = (parameters: readonly KeyParameter[], values: Values): Either<Errors, UserKey> => {
  const chosen = onlyOf(parameters, (name) => Object.hasOwn(values, name));
  if (isLeft(chosen)) return left(errorOf(chosen.left));
  const member = chosen.right;
  if (member !== byAddress)
    return mapLeft((message: string) => errorOf({ name: member.name, message }))(member.decode(values[member.name]));
  const decoded = emailOfBody.decode(values);
  return isLeft(decoded) ? left(fieldErrors(decoded.left)) : right(keyOf(decoded.right.email.address));
};

/** How requests name users: by the address and, where they are configured, by the id and by unique properties. */
export interface UserKeys {
  /** The user in a query. `description` is that of the address. */
  query(description?: string): Parameter<UserKey>;
  /** The same where the body may name the user instead. */
  optionalQuery(description: string): Parameter<UserKey | undefined>;
  /** The user in a query as it is written, for a form that sends it again. */
  readonly written: Parameter<WrittenKey>;
  /** Decodes what the fields of a form say about the user. */
  decodeForm(values: Values): Either<Errors, WrittenKey>;
  /** Decodes a body that names the user, and has the members of a codec and no others. */
  decodeBody<P extends t.Props>(
    codec: t.TypeC<P>,
    body: JsonObject,
  ): Either<Errors, { readonly key: UserKey; readonly others: t.TypeOf<t.TypeC<P>> }>;
  /** The schema of such a body. */
  bodySchema(title: string, members: Readonly<Record<string, Schema>>): Schema;
  /** Says which names exist, in the description of such a body; empty if it is only the address. */
  readonly bodyRule: string;
  /** The routes with texts of refusals that otherwise speak of the address alone. */
  withDetails(routes: readonly Route[]): readonly Route[];
}

const keyOfWritten = map(({ key }: WrittenKey): UserKey => key);

/** The ways to name a user with a configuration. */
export const userKeys = ({ ids = false, unique = [] }: ConfiguredNames): UserKeys => {
  const parameters = [byAddress, ...(ids ? [byId] : []), ...unique.map(byProperty)];
  const isPlain = parameters.length === 1;
  const names = parameters.map(({ name }) => name);
  const details = { user_not_found: `No user has this ${list(['email address', ...names.slice(1)], 'or')}.` };
  const quoted = names.map((name) => `\`${name}\``);
  const described = (text: string, required: boolean) => {
    const rule = ` ${required ? 'Exactly' : 'At most'} one of ${list(quoted, 'and')} is given.`;
    const alternatives = parameters.map(({ decode: _, ...one }) => ({
      ...email,
      ...one,
      required: false,
      description: (one.name === emailName ? text : one.description) + rule,
    }));
    return { ...email, required, description: text, ...(!isPlain && { alternatives }) };
  };
  const written = (query: Query) => writtenKey(parameters, (name) => optionalParameter(query, name));
  return {
    query: (text = description) => ({
      ...described(text, true),
      read: isPlain ? email.read : (_, query) => keyOfWritten(written(query)),
    }),
    optionalQuery: (text) => ({
      ...described(text, false),
      read: isPlain
        ? optionalAddress(emailName, text).read
        : (_, query) =>
            names.every((name) => isMissing(optionalParameter(query, name)))
              ? right(undefined)
              : keyOfWritten(written(query)),
    }),
    written: { ...described(description, true), read: (_, query) => written(query) },
    decodeForm: (values) => mapLeft(errorOf)(writtenKey(parameters, inForm(values))),
    decodeBody: (codec, body) => {
      const key = keyInBody(parameters, body.values);
      const others = decodeOnly(codec, body, names);
      if (isLeft(key)) return left([...key.left, ...(isLeft(others) ? others.left : [])]);
      return map((members: t.TypeOf<typeof codec>) => ({ key: key.right, others: members }))(others);
    },
    bodySchema: (title, members) => ({
      title,
      type: 'object',
      required: [...(isPlain ? [emailName] : []), ...Object.keys(members)],
      properties: {
        email: emailReference,
        ...Object.fromEntries(parameters.slice(1).map(({ name, schema }) => [name, schema])),
        ...members,
      },
      ...noOtherMembers,
    }),
    bodyRule: isPlain ? '' : ` Exactly one of ${list(quoted, 'and')} names the user.`,
    withDetails: (routes) =>
      isPlain ? routes : routes.map((route) => ({ ...route, details: { ...details, ...route.details } })),
  };
};
