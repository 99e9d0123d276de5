import { isLeft, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { OpenAdapter } from '../../adapters/kit/definition.ts';
import { block, member, optional, type Problem, withDefault } from '../../adapters/kit/option-block.ts';
import { choice, duration, flag, list, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import { maxCosts, minMemoryKiB } from '../../adapters/password-hashes/argon2-phc-string.ts';
import type { PasswordOptions } from '../../application/passwords/password-check.ts';
import type { PasswordHash } from '../../application/ports/password-hash.ts';
import { hashes, verifiers } from '../registry.ts';
import { chosen, decodeNamedAdapter, moduleType, type WithAdapter } from './adapter-block.ts';
import { below, optionCodec, problemAt, validate, withErrors } from './option-errors.ts';
import {
  type AcceptedItem,
  acceptedItem,
  algorithmAliases,
  openAccepting,
  prepareAccepted,
} from './password-algorithms.ts';

/** The decoded block `passwordHash` (docs/configuration.md). */
export interface PasswordHashBlock extends PasswordOptions {
  readonly algorithm: string;
  /** Further algorithms whose stored hashes are checked. */
  readonly accept: readonly string[];
  /** Whether an outdated hash is replaced after a successful check. */
  readonly rehash: boolean;
  /** Whether a new password must be one that the header can carry. Without `headerCheck` no request needs it. */
  readonly headerSafe: boolean;
  /** The limits of the cache of verified passwords; null disables it. */
  readonly cache: { readonly entries: number; readonly ttlMs: number } | null;
  /** The most memory that verifying a stored hash may take; null is derived from the memory of the machine. */
  readonly ceiling: { readonly memoryKiB: number | null } | null;
  readonly open: OpenAdapter<PasswordHash>;
}

/** The block `passwordHash.cache`. */
export const cacheBlock = block({
  entries: withDefault(wholeNumber(1, 1_000_000), 10_000, 'The passwords in the cache of each process.'),
  ttl: withDefault(duration, '5m', 'How long a password stays in the cache.'),
});

/** The block `passwordHash.ceiling`. */
export const ceilingBlock = block({
  memoryKiB: optional(
    wholeNumber(minMemoryKiB, maxCosts.memoryKiB),
    'The most memory for a stored hash of argon2 or scrypt, in KiB.',
  ),
});

const algorithms = choice([...Object.keys(hashes), moduleType], algorithmAliases);

/** An algorithm for new hashes. Tells one that makes none from an unknown word. */
const algorithmCodec: typeof algorithms = optionCodec(algorithms.name, algorithms.is, (value, context) =>
  typeof value === 'string' && Object.hasOwn(verifiers, value)
    ? t.failure(value, context, `only verifies stored hashes: name it in accept; expected ${algorithms.name}`)
    : validate(algorithms, value, context),
);

type Checked = Pick<PasswordHashBlock, 'algorithm' | 'serverSideHash' | 'headerCheck' | 'rehash'> & {
  readonly accept: readonly AcceptedItem[];
};

const contradictions = (values: Checked): readonly Problem[] => {
  const { algorithm, serverSideHash, headerCheck, accept, rehash } = values;
  const problems: Problem[] = [];
  const report = (path: keyof Checked, message: string) => problems.push({ path, message });
  if (algorithm === 'simple' && accept.length > 0)
    report('accept', 'needs an algorithm that hashes: simple cannot tell a stored hash from a password');
  if (algorithm === 'simple' && rehash) report('rehash', 'needs an algorithm that hashes; simple does not hash');
  if (!rehash && accept.some(({ type }) => type === 'salted-digest'))
    report('accept', 'needs rehash: true for salted-digest, because such hashes are fast to guess');
  const types = accept.map(({ type }) => type);
  for (const type of new Set(types.filter((each, index) => types.indexOf(each) < index)))
    if (Object.hasOwn(verifiers, type)) report('accept', `names ${type} twice`);
  if (!serverSideHash && rehash) report('rehash', 'needs serverSideHash: true; without it clients hash passwords');
  if (!headerCheck && rehash)
    report(
      'rehash',
      'needs headerCheck: true; without the password an earlier hash that a client sends back is not recognized',
    );
  return problems;
};

/** The options of the block that don't depend on its algorithm. */
export const passwordHashBlock = block(
  {
    algorithm: withDefault(algorithmCodec, 'simple', 'The algorithm that hashes and checks passwords.'),
    serverSideHash: withDefault(flag, false, 'Whether the service hashes new passwords.'),
    headerCheck: withDefault(
      flag,
      true,
      'Whether requests about a user need the password header. POST /users/check always checks its body.',
    ),
    headerSafe: withDefault(
      flag,
      true,
      'Whether a new password is refused that the password header cannot carry: with a space or tab at an end, with control characters, or above 8 KiB. Write false if all clients use POST /users/check or password*.',
    ),
    allowCommonMistakes: withDefault(
      flag,
      false,
      'Whether one typing mistake is accepted: an extra character at an end, the wrong case of the first letter, or caps lock.',
    ),
    accept: withDefault(list(acceptedItem), [], 'Further algorithms whose stored hashes are checked.'),
    rehash: withDefault(
      flag,
      false,
      'Whether a stored hash of another algorithm or cost is replaced after a successful check.',
    ),
    cache: optional(cacheBlock, 'The cache of verified passwords.'),
    ceiling: optional(ceilingBlock, 'The limit for the cost of a stored hash.'),
  },
  contradictions,
);

type Decoded = WithAdapter<typeof passwordHashBlock.options, PasswordHash>;

/** The error of a ceiling that new argon2 hashes would exceed; `memoryKiB` is the value in the file. */
const ceilingBelowCosts = ({ algorithm, ceiling }: Decoded, memoryKiB: unknown, context: t.Context): t.Errors =>
  algorithm === 'argon2' && (ceiling?.memoryKiB ?? Number.POSITIVE_INFINITY) < Number(memoryKiB ?? minMemoryKiB)
    ? [problemAt(below(context, 'ceiling', 'memoryKiB'), 'is less than memoryKiB, the memory of every new hash')]
    : [];

export const decodePasswordHash = async (
  given: unknown,
  context: t.Context,
  folders: readonly string[],
): Promise<t.Validation<PasswordHashBlock>> => {
  const algorithm = chosen(passwordHashBlock.options.algorithm, member(given, 'algorithm'));
  const sources = { port: 'PasswordHash', registry: hashes, folders } as const;
  const decoded = await decodeNamedAdapter(passwordHashBlock, algorithm, sources, given ?? {}, context);
  if (isLeft(decoded)) return decoded;
  const values: Decoded = decoded.right;
  const { accept, cache, open } = values;
  const prepared = await Promise.all(
    accept.map((item, index) => prepareAccepted(item, below(context, 'accept', `${index}`))),
  );
  const accepted = prepared.flatMap((one) => (isLeft(one) ? [] : [one.right]));
  const errors = prepared.flatMap((one) => (isLeft(one) ? one.left : []));
  const passwordHash = {
    ...values,
    accept: accept.map(({ type }) => type),
    cache: cache && { entries: cache.entries, ttlMs: cache.ttl },
    open: openAccepting(values.algorithm, open, accepted),
  };
  return withErrors(right(passwordHash), [
    ...errors,
    ...ceilingBelowCosts(values, member(given, 'memoryKiB'), context),
  ]);
};
