import { isLeft } from 'fp-ts/lib/Either.js';
import type { Tools } from '../application/ports/adapter.ts';
import type { PasswordHash } from '../application/ports/password-hash.ts';
import { hashes } from './adapters.ts';
import type { Opening } from './offer.ts';

/** What `passwordHash.accept` can name. With `simple` every text would be a stored form, a hash that nobody reads included. */
export const acceptedHashes: readonly string[] = Object.keys(hashes).filter((word) => word !== 'simple');

/** Opens an algorithm with its defaults: they count for new hashes, and those that are stored have their own costs. */
const openReader = async (word: string, tools: Tools): Promise<PasswordHash> => {
  const opening = (await hashes[word]?.())?.prepare({}, []);
  if (opening === undefined || isLeft(opening)) throw new TypeError(`there is no ${word} that needs no options`);
  return opening.right(tools);
};

/** Opens the configured algorithm so that it checks the stored forms of others as well, if there are any. */
export const openAccepting = ({
  algorithm,
  accept,
  open,
}: {
  readonly algorithm: string;
  readonly accept: readonly string[];
  readonly open: Opening<PasswordHash>;
}): Opening<PasswordHash> => {
  const others = accept.filter((word) => word !== algorithm);
  if (others.length === 0) return open;
  return async (tools) => {
    const { AcceptingHash } = await import('../adapters/hashes/accepting.ts');
    const readers = others.map((word) => openReader(word, tools));
    return new AcceptingHash(await open(tools), await Promise.all(readers));
  };
};
