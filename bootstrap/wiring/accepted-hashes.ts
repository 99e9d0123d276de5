import { isLeft } from 'fp-ts/lib/Either.js';
import type { AdapterContext } from '../../adapters/kit/definition.ts';
import type { PasswordHash } from '../../application/ports/password-hash.ts';
import type { OpenAdapter } from '../registry.ts';
import { hashes } from '../registry.ts';

/**
 * What `passwordHash.accept` can name, from the cheapest to the most expensive. With `simple` every text would be a stored
 * form, a hash that nobody reads included.
 */
export const acceptedHashes: readonly string[] = Object.keys(hashes).filter((word) => word !== 'simple');

/** Opens an algorithm with its defaults: they count for new hashes, and those that are stored have their own costs. */
const openReader = async (word: string, tools: AdapterContext): Promise<PasswordHash> => {
  const opening = (await hashes[word]?.())?.prepare({}, []);
  if (opening === undefined || isLeft(opening)) throw new TypeError(`there is no ${word} that needs no options`);
  return opening.right(tools);
};

/** Whether one algorithm costs more than the configured one. The cost of a module is not known; it counts as the highest. */
const costsMore = (word: string, configured: string): boolean =>
  acceptedHashes.includes(configured) && acceptedHashes.indexOf(word) > acceptedHashes.indexOf(configured);

/** Opens the configured algorithm so that it checks the stored forms of others as well, if there are any. */
export const openAccepting = ({
  algorithm,
  accept,
  open,
}: {
  readonly algorithm: string;
  readonly accept: readonly string[];
  readonly open: OpenAdapter<PasswordHash>;
}): OpenAdapter<PasswordHash> => {
  const others = accept.filter((word) => word !== algorithm);
  if (others.length === 0) return open;
  return async (tools) => {
    const { DelegatingHash } = await import('../../adapters/password-hashes/delegating-hash.ts');
    const configured = await open(tools);
    const cheap = others.filter((word) => !costsMore(word, algorithm));
    const expensive = others.filter((word) => costsMore(word, algorithm));
    const opened = (words: readonly string[]) => Promise.all(words.map((word) => openReader(word, tools)));
    return new DelegatingHash(configured, await opened(cheap), await opened(expensive));
  };
};
