import { map } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { block, optional, type Problem, required, type Values, type Written } from '../../adapters/kit/option-block.ts';
import { type Codec, list, refine, text } from '../../adapters/kit/option-codecs.ts';
import type { ExpiringSecret } from '../../application/ports/expiring-secret.ts';
import { optionCodec, validate } from './option-errors.ts';

const isoTime = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** The time of an ISO date or date-time, in milliseconds since the epoch; NaN for other text and for impossible dates. */
const timeOf = (written: string): number => {
  const midnight = Date.parse(isoTime.exec(written)?.[1] ?? '');
  // JavaScript reads the 31st of February as a day in March.
  const exists = !Number.isNaN(midnight) && written.startsWith(new Date(midnight).toISOString().slice(0, 10));
  return exists ? Date.parse(written) : Number.NaN;
};

const timeName = 'a date such as 2030-01-31, or a time such as 2030-01-31T18:00:00Z';

/** A date, or a time with its zone, in milliseconds since the epoch. */
export const isoDate = optionCodec<number, string>(timeName, t.number.is, (value, context) => {
  const time = typeof value === 'string' ? timeOf(value) : Number.NaN;
  return Number.isNaN(time) ? t.failure(value, context, `expected ${timeName}`) : t.success(time);
});

const expires = optional(isoDate, 'The time from which the secret is no longer valid. A date starts at midnight UTC.');

/** A problem unless a block has either `secret` or another option. */
const secretOr =
  (other: string) =>
  (given: Readonly<Record<string, unknown>>): readonly Problem[] => {
    if ((given.secret === null) !== (given[other] === null)) return [];
    const message =
      given.secret === null ? `is required, or ${other} instead` : `says the same as ${other}; keep one of them`;
    return [{ path: 'secret', message }];
  };

export const oneOfSecrets = secretOr('secrets');

/** An entry of `secrets` whose secret must be known itself, because it signs. */
export const secretBlock = (secret: Codec<string>) => block({ secret: required(secret, 'The secret.'), expires });

/** An entry of `secrets` of a key: the secret of a client, or its digest. */
export const keySecretBlock = (secret: Codec<string>) =>
  block(
    {
      secret: optional(secret, 'The secret.'),
      sha256: optional(
        refine(
          text,
          (digest) => /^[0-9a-f]{64}$/i.test(digest),
          'expected the SHA-256 of the secret as 64 hexadecimal digits; to make both: latchkey key',
        ),
        'Instead of the secret, the SHA-256 of a random one as 64 hexadecimal digits, so that the file holds no secret.',
      ),
      expires,
    },
    secretOr('sha256'),
  );

const maxSecrets = 2;

const oneOrTwo = <A, W>(entry: Codec<A, W>): Codec<readonly A[], readonly W[]> =>
  refine(list(entry), ({ length }) => length >= 1 && length <= maxSecrets, 'expected one or two secrets');

/** The option `secrets` beside `secret`. */
export const secretsOption = <A, W>(entry: Codec<A, W>) =>
  optional(
    oneOrTwo(entry),
    'Instead of `secret`, one or two that are valid at the same time, to change from one to the other.',
  );

type Secret = Values<ReturnType<typeof secretBlock>['options']>;

type WrittenSecret = Written<ReturnType<typeof secretBlock>['options']>;

/** A secret as text, or a list of one or two that are valid at the same time; decodes to a list. */
export const rotatingSecret = (secret: Codec<string>) => {
  const secrets = oneOrTwo(secretBlock(secret));
  return optionCodec<readonly Secret[], string | readonly WrittenSecret[]>(
    'text, or a list of one or two secrets',
    secrets.is,
    (value, context) =>
      Array.isArray(value)
        ? validate(secrets, value, context)
        : map((only: string): readonly Secret[] => [{ secret: only, expires: null }])(validate(secret, value, context)),
  );
};

/** A secret, with its place in the file, such as `auth.keys[0].secrets[1]`. */
export type Placed<S> = S & { readonly option: string };

/** The secrets of a list, with their places below `path`. */
export const placed = <S extends ExpiringSecret>(secrets: readonly S[], path: string): readonly Placed<S>[] =>
  secrets.map((secret, index) => ({ ...secret, option: `${path}[${index}]` }));

/** The secrets of a block at `path`, which has either `secret` or `secrets`. */
export const secretsIn = <S extends ExpiringSecret>(
  { secret, secrets }: { readonly secret: string | null; readonly secrets: readonly S[] | null },
  path: string,
): readonly Placed<S | Secret>[] => {
  if (secrets !== null) return placed(secrets, `${path}.secrets`);
  return secret === null ? [] : [{ secret, expires: null, option: `${path}.secret` }];
};
