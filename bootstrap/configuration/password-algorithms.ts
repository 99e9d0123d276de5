import { totalmem } from 'node:os';
import { left, map } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { OpenAdapter } from '../../adapters/kit/definition.ts';
import { block, isMapping, required } from '../../adapters/kit/option-block.ts';
import { choice } from '../../adapters/kit/option-codecs.ts';
import { DelegatingHash } from '../../adapters/password-hashes/delegating-hash.ts';
import { hashConcurrency } from '../../adapters/password-hashes/slow-hashes.ts';
import type { HashVerifier, PasswordHash } from '../../application/ports/password-hash.ts';
import { hashes, verifiers } from '../registry.ts';
import { decodeAdapterBlock } from './adapter-block.ts';
import { decodedAt, optionCodec, pick, problemAt, validate } from './option-errors.ts';

/**
 * The algorithms that `passwordHash.accept` can name, from the cheapest to the most expensive. `simple` is not one of
 * them, because it would accept every text as a stored hash, even one that no algorithm can read.
 */
export const acceptedAlgorithms = [
  'salted-digest',
  'sha256',
  'phpass',
  'sha-crypt',
  'pbkdf2',
  'bcrypt',
  'scrypt',
  'firebase-scrypt',
  'argon2',
] as const;

/** Other names of algorithms. */
export const algorithmAliases = { argon: 'argon2' } as const;

const costOrder: readonly string[] = acceptedAlgorithms;

/** Whether an algorithm costs more than the configured one. An algorithm from a module counts as the most expensive. */
const costsMore = (type: string, configured: string): boolean =>
  costOrder.includes(configured) && costOrder.indexOf(type) > costOrder.indexOf(configured);

/** An algorithm of `passwordHash.accept`, and how to open it. */
interface AcceptedAlgorithm {
  readonly type: string;
  readonly open: OpenAdapter<HashVerifier>;
}

type AcceptedName = (typeof acceptedAlgorithms)[number];

/** An item of `accept`: a name, or a block with the name and the options of the algorithm. */
export interface AcceptedItem {
  readonly type: AcceptedName;
  readonly given: object;
}

type WrittenName = AcceptedName | keyof typeof algorithmAliases;
type WrittenAccepted = WrittenName | { readonly type: WrittenName; readonly [option: string]: unknown };

const acceptedName = choice(acceptedAlgorithms, algorithmAliases);
const acceptedBlock = block({ type: required(acceptedName, 'An algorithm that only verifies stored hashes.') });

export const acceptedItem = optionCodec<AcceptedItem, WrittenAccepted>(
  `${acceptedName.name}; or a block with type and the options of the algorithm`,
  (value): value is AcceptedItem => isMapping(value) && acceptedName.is(value.type) && isMapping(value.given),
  (value, context) =>
    isMapping(value)
      ? map(({ type }: { readonly type: AcceptedName }) => ({ type, given: value }))(
          validate(acceptedBlock, pick(value, ['type']), context),
        )
      : map((type: AcceptedName) => ({ type, given: { type } }))(validate(acceptedName, value, context)),
);

/** Loads an accepted algorithm and decodes its options. Left: their problems. */
export const prepareAccepted = async (
  { type, given }: AcceptedItem,
  context: t.Context,
): Promise<t.Validation<AcceptedAlgorithm>> => {
  const verifier = await verifiers[type]?.();
  if (verifier !== undefined) return decodeAdapterBlock(acceptedBlock, verifier, given, context);
  if (Object.keys(given).length > 1)
    return left([problemAt(context, `${type} has no options here: its stored hashes hold their costs`)]);
  const hash = await hashes[type]?.();
  if (hash === undefined) throw new TypeError(`no algorithm ${type}`);
  // The default costs matter only for the distinction of cheap and expensive stored hashes.
  return map((open: OpenAdapter<PasswordHash>) => ({ type, open }))(
    decodedAt(hash.prepare({}), context, 'other options'),
  );
};

/** Returns how to open the configured algorithm so that it also verifies the stored hashes of the accepted ones. */
export const openAccepting = (
  algorithm: string,
  open: OpenAdapter<PasswordHash>,
  accepted: readonly AcceptedAlgorithm[],
): OpenAdapter<PasswordHash> => {
  const others = accepted.filter(({ type }) => type !== algorithm);
  if (others.length === 0) return open;
  return async (context) => {
    const openAll = (algorithms: readonly AcceptedAlgorithm[]) =>
      Promise.all(algorithms.map((each) => each.open(context)));
    const cheap = await openAll(others.filter(({ type }) => !costsMore(type, algorithm)));
    const expensive = await openAll(others.filter(({ type }) => costsMore(type, algorithm)));
    return new DelegatingHash(await open(context), cheap, expensive);
  };
};

/** The memory of this machine, or of its container if that has less. */
const availableMemoryBytes = (): number =>
  // constrainedMemory is 0 without a limit, or a number larger than the memory of the machine.
  Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

/** The memory for each of `concurrent` hashes so that all of them use less than a quarter of `memoryBytes`. */
export const memoryPerHashKiB = (memoryBytes: number, concurrent: number): number =>
  Math.max(0, Math.ceil(memoryBytes / 4 / concurrent / 1024) - 1);

interface MemoryOptions {
  readonly passwordHash: { readonly ceiling: { readonly memoryKiB: number | null } | null };
  readonly server: { readonly workers: number };
}

/** The most memory that verifying one stored hash may take in a service with this configuration. */
export const hashMemoryLimitKiB = ({ passwordHash, server }: MemoryOptions): number =>
  passwordHash.ceiling?.memoryKiB ?? memoryPerHashKiB(availableMemoryBytes(), server.workers * hashConcurrency);
