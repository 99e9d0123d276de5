import { createPublicKey } from 'node:crypto';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { Fault } from '../../../application/fault.ts';
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

/**
 * A public RSA or elliptic curve key that may verify signatures (RFC 7517, sections 4.1 to 4.5; RFC 7518, section 6).
 * Members that are not named here are ignored.
 */
const VerificationKey = t.intersection([
  t.union([
    t.type({ kty: t.literal('RSA'), n: t.string, e: t.string }),
    t.type({ kty: t.literal('EC'), crv: t.string, x: t.string, y: t.string }),
  ]),
  t.partial({
    use: t.literal('sig'),
    key_ops: t.array(t.string),
    alg: t.string,
    kid: t.string,
  }),
]);

/** A published key with the algorithms it permits: none where the key is not there to verify signatures, or malformed. */
const signingKeysIn = (jwk: unknown): readonly SigningKey[] => {
  // A key with `d` is a private one, which nobody should have published.
  if (!VerificationKey.is(jwk) || 'd' in jwk || jwk.key_ops?.includes('verify') === false) return [];
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const algorithms = algorithmsOf(key, jwk.alg);
    return algorithms.length === 0 ? [] : [{ id: jwk.kid, key, algorithms }];
  } catch {
    // The numbers make no key: a point that is not on the curve, for example.
    return [];
  }
};

/**
 * Fetches the keys that an issuer publishes at a URL. Throws the Fault `keys_unavailable` when it does not answer with a
 * key set within 3 seconds. Its text names neither the URL nor what was answered.
 */
export const fetchKeySet = async (url: string): Promise<KeySet> => {
  try {
    return new KeySet((await published(url)).flatMap(signingKeysIn));
  } catch (error) {
    if (error instanceof Fault) throw error;
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    throw unavailable(
      isLate ? `the issuer does not answer within ${patience / 1000} s` : 'the issuer is not reached',
      error,
    );
  }
};
