import { createPublicKey } from 'node:crypto';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { Fault } from '../../../application/fault.ts';
import { JwksClient } from './jwks-rsa.ts';
import { algorithmsOf, KeySet, type SigningKey } from './key-set.ts';

/** How long an issuer may take to answer, in milliseconds. */
const patience = 3_000;

/** The largest answer that is read, in bytes: a key takes some 400. */
const largest = 256 * 1024;

const Document = t.type({ keys: t.array(t.UnknownRecord) });

const unavailable = (reason: string, cause?: unknown): Fault => new Fault('keys_unavailable', reason, { cause });

const notAKeySet = 'what the issuer answers is no key set (RFC 7517)';

const textOf = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > largest) throw unavailable(`the issuer answers with more than ${largest / 1024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const published = async (url: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  // A redirect is no key set: it could lead to anybody.
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(patience) });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw unavailable(`the issuer answers with status ${response.status}`);
  }
  const document = Document.decode(parsed(await textOf(response)));
  if (isLeft(document)) throw unavailable(notAKeySet);
  return document.right.keys;
};

/** The keys of a set that verify signatures: those for encryption, private and malformed ones are left out. */
const verifying = async (keys: readonly object[]): Promise<readonly SigningKey[]> => {
  const client = new JwksClient({ cache: false, fetcher: async () => ({ keys }) });
  // It fetches nothing, so that it can fail in one way only: there is no such key.
  const found = await client.getSigningKeys().catch(() => []);
  return found
    .map(({ kid, alg, getPublicKey }) => {
      const key = createPublicKey(getPublicKey());
      return { id: kid, key, algorithms: algorithmsOf(key, alg) };
    })
    .filter(({ algorithms }) => algorithms.length > 0);
};

/**
 * Fetches the keys that an issuer publishes at a URL. Throws the Fault `keys_unavailable` when it does not answer with a
 * key set within 3 seconds. Its text names neither the URL nor what was answered.
 */
export const fetchKeySet = async (url: string): Promise<KeySet> => {
  try {
    return new KeySet(await verifying(await published(url)));
  } catch (error) {
    if (error instanceof Fault) throw error;
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    throw unavailable(
      isLate ? `the issuer does not answer within ${patience / 1000} s` : 'the issuer is not reached',
      error,
    );
  }
};
