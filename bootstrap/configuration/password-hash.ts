import { isLeft, right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { block, optional, type Problem, withDefault } from '../../adapters/kit/option-block.ts';
import { choice, duration, flag, list, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import { maxCosts, minMemoryKiB } from '../../adapters/password-hashes/argon2-phc-string.ts';
import type { PasswordOptions } from '../../application/passwords/passwords.ts';
import type { PasswordHash as PasswordHashPort } from '../../application/ports/password-hash.ts';
import type { OpenAdapter } from '../registry.ts';
import { hashes } from '../registry.ts';
import { acceptedHashes, openAccepting } from '../wiring/accepted-hashes.ts';
import { chosen, type WithAdapter } from './adapter-block.ts';
import { member } from './document.ts';
import { decodeNamedAdapter, moduleWord } from './named-adapter.ts';
import { alsoFailing, below, problemAt } from './validation.ts';

/** The block `passwordHash` (specification, section 1). */
export interface PasswordHash extends PasswordOptions {
  readonly algorithm: string;
  /** The algorithms whose stored forms are checked beside those of the configured one. */
  readonly accept: readonly string[];
  /** Whether a password that was checked is stored anew where its form is outdated. */
  readonly rehash: boolean;
  /** How many right passwords are remembered, and for how many milliseconds; null remembers none. */
  readonly cache: { readonly entries: number; readonly ttl: number } | null;
  /** The most that verifying a stored hash may cost, in KiB; null takes what the memory of the machine allows. */
  readonly ceiling: { readonly memoryKiB: number | null } | null;
  readonly open: OpenAdapter<PasswordHashPort>;
}

/** The block `passwordHash.cache`. */
export const cacheBlock = block({
  entries: withDefault(
    wholeNumber(1, 1_000_000),
    10_000,
    'How many right passwords each process remembers; the one that was used longest ago is forgotten first.',
  ),
  ttl: optional(duration, 'How long each is remembered; 5m by default.'),
});

/** The block `passwordHash.ceiling`. */
export const ceilingBlock = block({
  memoryKiB: optional(
    wholeNumber(minMemoryKiB, maxCosts.memoryKiB),
    'The most memory that verifying one stored argon2 hash may take, in KiB. By default all hashes that run at once take less than a quarter of the memory of the machine or container; 1048576 (1 GiB) at most, and at least what a new hash takes.',
  ),
});

const fiveMinutes = 5 * 60_000;

const aliases = { argon: 'argon2' };

type Checked = Pick<PasswordHash, 'algorithm' | 'serverSideHash' | 'headerCheck' | 'accept' | 'rehash'> & {
  readonly cache: unknown;
};

const contradictions = (values: Checked): readonly Problem[] => {
  const { algorithm, serverSideHash, headerCheck, accept, rehash, cache } = values;
  const problems: Problem[] = [];
  const report = (path: keyof Checked, message: string) => problems.push({ path, message });
  if (algorithm === 'simple' && accept.length > 0)
    report('accept', 'needs an algorithm that hashes: simple cannot tell a stored hash from a password');
  if (algorithm === 'simple' && rehash) report('rehash', 'needs an algorithm that hashes; simple does not hash');
  if (!serverSideHash && rehash) report('rehash', 'needs serverSideHash: true; without it clients hash passwords');
  if (!headerCheck && rehash) report('rehash', 'needs headerCheck: true; without it the service sees no passwords');
  if (!headerCheck && cache !== null) report('cache', 'needs headerCheck: true; without it no passwords are checked');
  return problems;
};

/** The options of the block that don't depend on the algorithm. */
export const passwordHashBlock = block(
  {
    algorithm: withDefault(
      choice([...Object.keys(hashes), moduleWord], aliases),
      'simple',
      'How passwords are hashed by the service, and compared.',
    ),
    serverSideHash: withDefault(
      flag,
      false,
      'Whether the service hashes the password of a new user, and a changed one, before it stores it.',
    ),
    headerCheck: withDefault(
      flag,
      true,
      'Whether the password header is required to read, change, delete, verify and reset a user.',
    ),
    allowCommonMistakes: withDefault(
      flag,
      false,
      'Whether a password is accepted with one typing mistake: a character too many at an end, the wrong case of the first letter, or caps lock.',
    ),
    accept: withDefault(
      list(choice(acceptedHashes, aliases)),
      [],
      'The algorithms whose stored hashes are checked too, each by its own form.',
    ),
    rehash: withDefault(
      flag,
      false,
      'Whether a password is hashed anew after a check, where its stored hash is of another algorithm or of other costs than a new one.',
    ),
    cache: optional(cacheBlock, 'How long right passwords need no further check; each call checks when it is absent.'),
    ceiling: optional(ceilingBlock, 'What a stored hash may cost; one that costs more matches no password.'),
  },
  contradictions,
);

type Decoded = WithAdapter<typeof passwordHashBlock.options, PasswordHashPort>;

/** The error of a ceiling under which no new argon2 hash could be verified; `memoryKiB` is what the file says. */
const ceilingBelowCosts = ({ algorithm, ceiling }: Decoded, memoryKiB: unknown, context: t.Context): t.Errors =>
  algorithm === 'argon2' && (ceiling?.memoryKiB ?? Number.POSITIVE_INFINITY) < Number(memoryKiB ?? minMemoryKiB)
    ? [problemAt(below(context, 'ceiling', 'memoryKiB'), 'is less than memoryKiB, which every new hash takes')]
    : [];

export const decodePasswordHash = async (
  given: unknown,
  context: t.Context,
  folders: readonly string[],
): Promise<t.Validation<PasswordHash>> => {
  const algorithm = chosen(passwordHashBlock.options.algorithm, member(given, 'algorithm'));
  const sources = { port: 'PasswordHash', registry: hashes, folders } as const;
  const decoded = await decodeNamedAdapter(passwordHashBlock, algorithm, sources, given ?? {}, context);
  if (isLeft(decoded)) return decoded;
  const values: Decoded = decoded.right;
  const passwordHash = {
    ...values,
    cache: values.cache && { ...values.cache, ttl: values.cache.ttl ?? fiveMinutes },
    open: openAccepting(values),
  };
  return alsoFailing(right(passwordHash), ceilingBelowCosts(values, member(given, 'memoryKiB'), context));
};
