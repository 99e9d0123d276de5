import { type Either, left, right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import { type Supplied, withoutPassword } from '../../../../application/passwords/without-password.ts';
import type { Parameter } from '../route-types.ts';

/** Whether the header occurs several times: its values are then joined with commas. */
const isRepeated = ({ req }: KoaRequest): boolean => (req.headersDistinct.password?.length ?? 0) > 1;

const nonAscii = /[^\0-\x7f]/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Clients send UTF-8, which Node.js decodes as Latin-1. */
const fromUtf8 = (latin1: string): Either<string, string> => {
  if (!nonAscii.test(latin1)) return right(latin1);
  try {
    return right(utf8.decode(Buffer.from(latin1, 'latin1')));
  } catch {
    return left('must be UTF-8');
  }
};

const fromPercentEncoding = (encoded: string): Either<string, string> => {
  try {
    return right(decodeURIComponent(encoded));
  } catch {
    return left('must be UTF-8');
  }
};

// RFC 8187, section 3.2.1: a charset, an optional language tag, and bytes of which most are percent-encoded.
const extendedValue = /^utf-8'[a-z\d-]*'((?:%[\da-f]{2}|[\w!#$&+.^`|~-])*)$/i;

/** Decodes `password*`, for clients whose headers cannot carry every character. */
const readExtendedPassword = (request: KoaRequest, value: string | readonly string[]): Either<string, string> => {
  // Some clients send `password` in any case: earlier OpenAPI documents required it.
  const { password = '' } = request.req.headers;
  if (typeof value !== 'string' || password !== '') return left('must be given once');
  const [, encoded] = extendedValue.exec(value) ?? [];
  if (encoded === undefined) return left("must be UTF-8'' and percent-encoded bytes in password*");
  return encoded === '' ? left('must not be empty') : fromPercentEncoding(encoded);
};

const readPassword = (request: KoaRequest): Either<string, string> => {
  const { headers } = request.req;
  const extended = headers['password*'];
  if (extended !== undefined) return readExtendedPassword(request, extended);
  const value = headers.password;
  if (value === undefined) return left('is required');
  if (typeof value !== 'string' || (value.includes(',') && isRepeated(request))) {
    return left('must be given once');
  }
  return value === '' ? left('must not be empty') : fromUtf8(value);
};

/** How the routes that check a password refuse the user: for the password, a state of the user, or an unknown address. */
export const callerRefusals = [
  'user_disabled',
  'password_change_required',
  'wrong_password',
  'too_many_attempts',
  'user_not_found',
] as const;

const passwordHeader = {
  name: 'password',
  in: 'header',
  required: false,
  example: 'correct horse battery staple',
} as const;

/** The `password` header, if passwords are checked. Not required in the OpenAPI document, because of `password*`. */
export const checkedPassword: Parameter<string | undefined> = {
  ...passwordHeader,
  schema: { type: 'string', minLength: 1 },
  description:
    "The user's password, in the form that the configured algorithm verifies. UTF-8. Required, unless `password*` carries the same percent-encoded (RFC 8187): `password*: UTF-8''p%C3%A4ss`.",
  read: readPassword,
};

/** The same where clients can have the permission `without-password`; one that has it may leave the password out. */
export const omissiblePassword: Parameter<Supplied> = {
  ...checkedPassword,
  description: `${checkedPassword.description} Clients with the permission \`without-password\` may send neither: then no password is checked.`,
  read: (request) => {
    const { headers } = request.req;
    const isOmitted = headers.password === undefined && headers['password*'] === undefined;
    return isOmitted && request.ctx.state.client?.may?.has('without-password')
      ? right(withoutPassword)
      : readPassword(request);
  },
};

/** The `password` header if `passwordHash.headerCheck` is false: it may be sent and is ignored. */
export const ignoredPassword: Parameter<string | undefined> = {
  ...passwordHeader,
  schema: { type: 'string' },
  description: 'Ignored: the configuration disables password checks.',
  read: () => right(undefined),
};
