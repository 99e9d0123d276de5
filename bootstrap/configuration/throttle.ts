import { map, right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { block, optional, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { type Codec, duration, refine, text, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import type { AttemptLimits } from '../../application/ports/attempt-counter.ts';

/** The block `throttle`: how many wrong passwords are too many. */
export interface LoginThrottle {
  readonly limits: AttemptLimits;
  /** The header in which clients tell the address of their user; null counts for the address of the connection. */
  readonly clientHeader: string | null;
}

const mostFailures = 1_000_000;

/** How many more wrong passwords an address may give than a user may get, unless the block says how many. */
const usersOfAddress = 10;

// Those that say something else already, to the service or to HTTP itself.
const taken = new Set([
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'password',
  'transfer-encoding',
]);

/** The name of a header (RFC 9110, section 5.1) that has no other meaning here. */
const header: Codec<string> = refine(
  text,
  (name) => /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) && !taken.has(name.toLowerCase()),
  'is no name of a header of its own; write one such as X-Client-Address',
);

/** The block `throttle`. */
export const throttleBlock = block(
  {
    failures: withDefault(wholeNumber(1, mostFailures), 10, 'How many wrong passwords of one user are too many.'),
    window: optional(duration, 'How long wrong passwords count, from the first of them; 15m by default.'),
    block: optional(duration, 'For how long no password is checked any more then; 15m by default.'),
    clientFailures: optional(
      wholeNumber(0, mostFailures),
      'How many wrong passwords from one client address are too many, whatever the users; 10 times failures by default, and 0 counts none.',
    ),
    clientHeader: optional(
      header,
      'The header in which clients tell the address of the person who gave the password; without it that of the connection counts.',
    ),
  },
  ({ clientFailures, clientHeader }) =>
    clientFailures === 0 && clientHeader !== null
      ? [{ path: 'clientHeader', message: 'has no effect with clientFailures: 0; remove one of them' }]
      : [],
);

const quarterOfHour = 15 * 60_000;

const assembled = (values: Values<typeof throttleBlock.options>): LoginThrottle => ({
  limits: {
    failures: values.failures,
    clientFailures: values.clientFailures ?? values.failures * usersOfAddress,
    window: values.window ?? quarterOfHour,
    block: values.block ?? quarterOfHour,
  },
  clientHeader: values.clientHeader,
});

/** Decodes the block; null where it is absent. */
export const decodeThrottle = (given: unknown, context: t.Context): t.Validation<LoginThrottle | null> =>
  given === undefined || given === null ? right(null) : map(assembled)(throttleBlock.validate(given, context));
