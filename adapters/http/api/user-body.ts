import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { CustomProperties } from '../../../domain/custom-properties.ts';
import { EmailAddress } from '../../../domain/email-address.ts';
import type { FieldError } from '../../../domain/failure.ts';
import type { JsonObject } from '../../kit/exact-json.ts';
import { fieldErrors } from '../../kit/field-errors.ts';
import { customPropertiesIn } from '../../kit/user-json.ts';
import type { Body, Schema } from './route.ts';

/** A codec that knows its JSON Schema, so that what is decoded and what is documented can't differ. */
class Described<A> extends t.Type<A, unknown, unknown> {
  constructor(
    readonly schema: Schema,
    is: (value: unknown) => value is A,
    message: string,
  ) {
    super(
      message,
      is,
      (value, context) => (is(value) ? t.success(value) : t.failure(value, context, message)),
      t.identity,
    );
  }
}

/** Text that survives every encoding; a lone surrogate would not, and hashes alike with others. */
const isText = (value: unknown): value is string => typeof value === 'string' && value.isWellFormed();

const address = new Described(
  { type: 'string', format: 'email', maxLength: 254, examples: ['jane@example.com'] },
  EmailAddress.is,
  'must be a valid email address',
);
const verified = new Described({ type: 'boolean' }, t.boolean.is, 'must be true or false');
const verificationToken = new Described(
  { type: ['string', 'null'] },
  (value): value is string | null => value === null || isText(value),
  'must be a string or null',
);
const password = new Described(
  { type: 'string', minLength: 1 },
  (value): value is string => isText(value) && value !== '',
  'must be a non-empty string',
);

const emailMembers = { address, verified, verificationToken };
const emailCodec = t.intersection([t.type({ address }), t.partial({ verified, verificationToken })]);
const newUserCodec = t.type({ email: emailCodec, password });
const revisedUserCodec = t.intersection([t.type({ email: emailCodec }), t.partial({ password })]);

const emailSchema: Schema = {
  type: 'object',
  required: ['address'],
  properties: {
    address: address.schema,
    verified: verified.schema,
    verificationToken: verificationToken.schema,
  },
  additionalProperties: false,
};

const strangers = ({ values: { email } }: JsonObject): readonly FieldError[] =>
  typeof email !== 'object' || email === null
    ? []
    : Object.keys(email)
        .filter((key) => !Object.hasOwn(emailMembers, key))
        .map((key) => ({ path: `email.${key}`, message: 'is not a member of email' }));

const decode = <A>(codec: t.Type<A, unknown, unknown>, body: JsonObject): Either<readonly FieldError[], A> => {
  const decoded = codec.decode(body.values);
  const errors = [...(isLeft(decoded) ? fieldErrors(decoded.left) : []), ...strangers(body)];
  if (errors.length > 0 || isLeft(decoded)) return left(errors);
  return decoded;
};

/** What a create request asks for; the verification members that it may carry are ignored. */
export interface NewUser {
  readonly address: EmailAddress;
  readonly password: string;
  readonly properties: CustomProperties;
}

export const newUserBody: Body<NewUser> = {
  description: 'The new user. Every further top-level member is a custom property and is kept exactly.',
  schema: {
    type: 'object',
    required: ['email', 'password'],
    properties: { email: emailSchema, password: password.schema },
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
  decode: (body) => {
    const decoded = decode(newUserCodec, body);
    if (isLeft(decoded)) return decoded;
    const { email, password } = decoded.right;
    return right({ address: email.address, password, properties: customPropertiesIn(body) });
  },
};

/** What an update request asks for. */
export interface RevisedUser {
  readonly address: EmailAddress;
  readonly password: string | undefined;
  readonly verified: boolean | undefined;
  readonly verificationToken: string | null | undefined;
  readonly properties: CustomProperties;
}

export const revisedUserBody: Body<RevisedUser> = {
  description:
    'The user as it shall be. The custom properties are replaced. Without `password` the password stays; without `email.verified` and `email.verificationToken` they stay too, except that a new address resets them.',
  schema: {
    type: 'object',
    required: ['email'],
    properties: { email: emailSchema, password: password.schema },
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
  decode: (body) => {
    const decoded = decode(revisedUserCodec, body);
    if (isLeft(decoded)) return decoded;
    const { email, password } = decoded.right;
    return right({
      address: email.address,
      password,
      verified: email.verified,
      verificationToken: email.verificationToken,
      properties: customPropertiesIn(body),
    });
  },
};
