import { totalmem } from 'node:os';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { AdapterContext } from '../../adapters/kit/definition.ts';
import { hashConcurrency } from '../../adapters/password-hashes/work-queue.ts';
import type { PasswordHash } from '../../application/ports/password-hash.ts';
import { hashes, type OpenAdapter } from '../registry.ts';

/**
 * The algorithms that `passwordHash.accept` can name, from the cheapest to the most expensive. `simple` is not one of
 * them, because it would accept every text as a stored form, even a hash that no algorithm can read.
 */
export const acceptedAlgorithms: readonly string[] = Object.keys(hashes).filter((name) => name !== 'simple');

/** Opens an algorithm with its default options, which matter only for new hashes; stored forms name their own costs. */
const openWithDefaults = async (name: string, context: AdapterContext): Promise<PasswordHash> => {
  const prepared = (await hashes[name]?.())?.prepare({}, []);
  if (prepared === undefined || isLeft(prepared)) throw new TypeError(`no algorithm ${name} works without options`);
  return prepared.right(context);
};

/** Whether an algorithm costs more than the configured one. An algorithm from a module counts as the most expensive. */
const costsMore = (name: string, configured: string): boolean =>
  acceptedAlgorithms.includes(configured) && acceptedAlgorithms.indexOf(name) > acceptedAlgorithms.indexOf(configured);

interface AlgorithmChoice {
  readonly algorithm: string;
  readonly accept: readonly string[];
  readonly open: OpenAdapter<PasswordHash>;
}

/** Returns how to open the configured algorithm so that it also verifies the stored forms of the accepted ones. */
export const openAccepting = ({ algorithm, accept, open }: AlgorithmChoice): OpenAdapter<PasswordHash> => {
  const others = accept.filter((name) => name !== algorithm);
  if (others.length === 0) return open;
  return async (context) => {
    const { DelegatingHash } = await import('../../adapters/password-hashes/delegating-hash.ts');
    const openAll = (names: readonly string[]) => Promise.all(names.map((name) => openWithDefaults(name, context)));
    const cheap = await openAll(others.filter((name) => !costsMore(name, algorithm)));
    const expensive = await openAll(others.filter((name) => costsMore(name, algorithm)));
    return new DelegatingHash(await open(context), cheap, expensive);
  };
};

/** The memory of this machine, or of its container if that has less. */
const availableMemoryBytes = (): number =>
  // constrainedMemory is 0 without a limit, or a number larger than the memory of the machine.
  Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

/** The memory for each of `hashes` concurrent hashes so that all of them use less than a quarter of `memoryBytes`. */
export const memoryPerHashKiB = (memoryBytes: number, hashes: number): number =>
  Math.max(0, Math.ceil(memoryBytes / 4 / hashes / 1024) - 1);

interface MemoryOptions {
  readonly passwordHash: { readonly ceiling: { readonly memoryKiB: number | null } | null };
  readonly server: { readonly workers: number };
}

/** The most memory that verifying one stored form may take in a service with this configuration. */
export const hashMemoryLimitKiB = ({ passwordHash, server }: MemoryOptions): number =>
  passwordHash.ceiling?.memoryKiB ?? memoryPerHashKiB(availableMemoryBytes(), server.workers * hashConcurrency);
