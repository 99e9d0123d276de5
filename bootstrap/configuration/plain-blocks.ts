// The blocks that are decoded as they are declared.
import { isLeft, map, right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { webAddress } from '../../adapters/kit/address-codecs.ts';
import {
  block,
  isMapping,
  member,
  optional,
  type Problem,
  required,
  type Values,
  withDefault,
} from '../../adapters/kit/option-block.ts';
import {
  anyText,
  type Codec,
  choice,
  duration,
  flag,
  list,
  longDuration,
  refine,
  text,
} from '../../adapters/kit/option-codecs.ts';
import { fixedFields } from '../../adapters/kit/user-json/user-writer.ts';
import { EmailAddress } from '../../domain/email-address.ts';
import { version } from '../installed-package.ts';
import { below, problemAt, validate, withErrors } from './option-errors.ts';
import { isoDate } from './rotation.ts';

const levelNames = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const levels = choice(levelNames, { all: 'trace', off: 'silent' });
type Level = (typeof levelNames)[number];
type LevelWord = Level | 'all' | 'off';

/** A log level in any case: Dropwizard writes `INFO`, and has `ALL` and `OFF`. */
const level: Codec<Level, LevelWord | Uppercase<LevelWord>> = {
  ...levels,
  decode: (value) => levels.decode(typeof value === 'string' ? value.toLowerCase() : value),
};

/** The block `logging`. */
export const loggingBlock = block({
  level: withDefault(level, 'info', 'The lowest level that is logged; off is silent.'),
  requests: withDefault(
    choice(['failed', 'all', 'none'] as const),
    'failed',
    'The requests that are logged; failed ones ended with 5xx or took more than a second.',
  ),
});

export type Logging = Values<typeof loggingBlock.options>;

const contactEmail: Codec<EmailAddress, string> = EmailAddress;

/** The block `openApi` (docs/configuration.md). */
export const openApiBlock = block({
  enabled: withDefault(flag, true, 'Whether /openapi.json, /openapi.yaml, /swagger and /admin/openapi.json exist.'),
  redirectRoot: withDefault(flag, false, 'Whether `/` leads to /swagger, and not to email.productUrl.'),
  title: withDefault(text, 'Latchkey API', 'The title of the document.'),
  version: withDefault(text, version, 'The version in the document; by default that of Latchkey.'),
  description: withDefault(
    anyText,
    'A fully customizable user management REST API',
    'The description in the document.',
  ),
  contact: optional(text, 'The name of the contact person.'),
  contactEmail: optional(contactEmail, 'The email address of the contact person.'),
  license: withDefault(text, 'MIT', 'The name of the license.'),
  licenseUrl: withDefault(webAddress, 'https://spdx.org/licenses/MIT.html', 'The URL of the license.'),
});

/** The block `privacy`. */
export const privacyBlock = block({
  hideUnknownUsers: withDefault(
    flag,
    false,
    'Whether unknown users are answered like wrong passwords, or wrong tokens. With headerCheck: false, only in POST /users/check.',
  ),
  quietSignUp: withDefault(
    flag,
    false,
    'Whether every address gets the same response to POST /users, as with `Prefer: quiet`. Needs signUp.quiet.',
  ),
  hidePasswords: withDefault(flag, false, 'Whether responses omit the stored hash of the password.'),
});

const propertyName = refine(text, (name) => !fixedFields.has(name), 'is a field of every user, not a custom property');

/** A list of custom properties. */
export const propertyNames = list(propertyName);

/** `properties` in an entry of `auth.keys`. */
export const keyPropertiesBlock = block({
  read: optional(propertyNames, 'The custom properties that its client sees. Without it, all.'),
  write: optional(propertyNames, 'The custom properties that its client may set and change. Without it, all.'),
});

/** An entry of `properties.allowed`. */
export const allowedBlock = block({
  name: required(propertyName, 'The name of the property.'),
  type: required(text, 'string, integer, double, boolean, list or map; any other word accepts every value.'),
  unique: withDefault(flag, false, 'Whether no two users have the same value, by which users are then found.'),
  fold: withDefault(
    choice(['exact', 'caseless', 'username'] as const),
    'exact',
    'How unique values are compared; username is UsernameCaseMapped of RFC 8265.',
  ),
});

/** The block `properties` (docs/configuration.md). */
export const propertiesBlock = block({
  allowSubset: withDefault(flag, true, 'Whether allowed properties may be absent.'),
  allowSuperset: withDefault(flag, true, 'Whether a user may have other properties.'),
  allowed: withDefault(list(allowedBlock), [], 'The allowed properties, each with its type.'),
});

type BlocksWithPasswordTime = {
  readonly passwordRules?: object;
  readonly recovery?: object;
};

/** A custom property with the name of the member that users get with one of the blocks. */
export const shadowedProperty = (
  { allowed }: Values<typeof propertiesBlock.options>,
  { recovery, passwordRules }: BlocksWithPasswordTime,
): readonly Problem[] => {
  const index = allowed.findIndex(({ name }) => name === 'passwordTime');
  if (index < 0 || (recovery ?? passwordRules) === undefined) return [];
  const message = 'is a member of every user with the blocks recovery and passwordRules, not a custom property';
  return [{ path: `allowed.${index}.name`, message }];
};

/** The block `options`, and the block that `operationTimeout` may be. */
export const timeoutBlock = block({
  operationTimeout: withDefault(duration, '30s', 'The timeout of an operation of the service.'),
});

export const defaultOperationTimeoutMs = timeoutBlock.options.operationTimeout.fallback.value;

/** The timeout in a block; null if it has none. */
const timeoutIn = (given: unknown, context: t.Context): t.Validation<number | null> =>
  map(({ operationTimeout }: Values<typeof timeoutBlock.options>) =>
    member(given, 'operationTimeout') === undefined ? null : operationTimeout,
  )(validate(timeoutBlock, given ?? {}, context));

/**
 * Decodes the operation timeout of a document, in milliseconds: `options.operationTimeout`, or a top-level
 * `operationTimeout` that is a duration or a block with one. Two different values are an error.
 */
export const decodeOperationTimeout = (document: unknown): t.Validation<number> => {
  const written = member(document, 'operationTimeout');
  const at = below([], 'operationTimeout');
  const options = timeoutIn(member(document, 'options'), below([], 'options'));
  const top = written === undefined || isMapping(written) ? timeoutIn(written, at) : validate(duration, written, at);
  if (isLeft(options)) return withErrors(options, isLeft(top) ? top.left : []);
  if (isLeft(top)) return top;
  const differ = options.right !== null && top.right !== null && options.right !== top.right;
  return withErrors(
    right(options.right ?? top.right ?? defaultOperationTimeoutMs),
    differ ? [problemAt(at, 'differs from options.operationTimeout; keep one of them')] : [],
  );
};

/** The block `activity`. */
export const activityBlock = block({
  precision: withDefault(
    longDuration,
    '24h',
    'How much later than the stored time a password may have been right; a user is written at most once in this time.',
  ),
  since: optional(
    isoDate,
    'Since when this is recorded without a gap: nobody counts as inactive from an earlier time. latchkey expire needs it. A date starts at midnight UTC.',
  ),
});
