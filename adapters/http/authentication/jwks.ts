import { createPublicKey, type KeyObject } from 'node:crypto';
import { chainW, isLeft } from 'fp-ts/lib/Either.js';
import { parse } from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import type jwt from 'jsonwebtoken';
import { Fault } from '../../../application/fault.ts';

/** A public key that verifies the tokens of an issuer. */
export interface SigningKey {
  /** The `kid` of its tokens; undefined when the issuer publishes none. */
  readonly id: string | undefined;
  readonly key: KeyObject;
  /** The algorithms that its type, curve and `alg` permit. */
  readonly algorithms: readonly jwt.Algorithm[];
}

const rsaAlgorithms: readonly jwt.Algorithm[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

/** The algorithm of each curve (RFC 7518, section 3.4), by the name of the curve in OpenSSL. */
const curveAlgorithms: Readonly<Record<string, jwt.Algorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

const signingAlgorithms: ReadonlySet<string> = new Set([...rsaAlgorithms, ...Object.values(curveAlgorithms)]);

/** Whether an algorithm signs with a private key, so that a published key can verify its tokens. */
export const isAsymmetric = (algorithm: string): boolean => signingAlgorithms.has(algorithm);

// NIST SP 800-131A.
const minModulusBits = 2048;

/** The algorithms that a key permits. `declared` is its `alg`, which restricts it to one (RFC 7517, section 4.4). */
const algorithmsOf = (key: KeyObject, declared: string | undefined): readonly jwt.Algorithm[] => {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  const ofCurve = key.asymmetricKeyType === 'ec' ? curveAlgorithms[namedCurve] : undefined;
  const isLongRsa = key.asymmetricKeyType === 'rsa' && modulusLength >= minModulusBits;
  const possible = isLongRsa ? rsaAlgorithms : ofCurve === undefined ? [] : [ofCurve];
  return declared === undefined ? possible : possible.filter((algorithm) => algorithm === declared);
};

/** The keys that an issuer publishes (RFC 7517, section 5). */
export class Jwks {
  constructor(readonly keys: readonly SigningKey[]) {}

  /** The key of a token: by its key id, or without one the only key for its algorithm. Undefined when it is not unique. */
  find(id: string | undefined, algorithm: string): SigningKey | undefined {
    const [key, ...others] = this.keys.filter(
      (candidate) =>
        (id === undefined || candidate.id === id) && candidate.algorithms.some((known) => known === algorithm),
    );
    return others.length === 0 ? key : undefined;
  }

  has(id: string): boolean {
    return this.keys.some((key) => key.id === id);
  }

  /** Whether both sets accept the same tokens. */
  equals({ keys }: Jwks): boolean {
    const isIn = (all: readonly SigningKey[], { id, key, algorithms }: SigningKey): boolean =>
      all.some((other) => other.id === id && other.key.equals(key) && other.algorithms.join() === algorithms.join());
    return keys.length === this.keys.length && keys.every((key) => isIn(this.keys, key));
  }
}

const fetchTimeoutMs = 3_000;

/** The largest response that is read. A key takes some 400 bytes. */
const maxResponseBytes = 256 * 1024;

const JwksDocument = t.type({ keys: t.array(t.UnknownRecord) });

const keysUnavailable = (reason: string, cause?: unknown): Fault => new Fault('keys_unavailable', reason, { cause });

const textOf = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > maxResponseBytes)
      throw keysUnavailable(`the issuer answers with more than ${maxResponseBytes / 1024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

const fetchKeys = async (
  url: string,
  closing: AbortSignal | undefined,
): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const timeout = AbortSignal.timeout(fetchTimeoutMs);
  const signal = closing === undefined ? timeout : AbortSignal.any([closing, timeout]);
  // A redirect could lead to another issuer.
  const response = await fetch(url, { redirect: 'manual', signal });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw keysUnavailable(`the issuer answers with status ${response.status}`);
  }
  const document = chainW(JwksDocument.decode)(parse(await textOf(response)));
  if (isLeft(document)) throw keysUnavailable('the issuer does not answer with a JWKS (RFC 7517)');
  return document.right.keys;
};

/** A public RSA or elliptic curve key for verifying signatures (RFC 7517, sections 4.1 to 4.5; RFC 7518, section 6). */
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

/** A published key with its algorithms. An empty list when it is malformed or not for verifying signatures. */
const signingKeysIn = (jwk: unknown): readonly SigningKey[] => {
  // A key with `d` is a private key, which must not be published.
  if (!VerificationKey.is(jwk) || 'd' in jwk || jwk.key_ops?.includes('verify') === false) return [];
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const algorithms = algorithmsOf(key, jwk.alg);
    return algorithms.length === 0 ? [] : [{ id: jwk.kid, key, algorithms }];
  } catch {
    // The parameters are not those of a key, for example because the point is not on the curve.
    return [];
  }
};

/**
 * Fetches the keys that an issuer publishes at a URL. Throws the Fault `keys_unavailable` when the issuer does not answer
 * with a JWKS within 3 seconds, or when `closing` aborts the fetch. The message contains neither the URL nor the response.
 */
export const fetchJwks = async (url: string, closing?: AbortSignal): Promise<Jwks> => {
  try {
    return new Jwks((await fetchKeys(url, closing)).flatMap(signingKeysIn));
  } catch (error) {
    if (error instanceof Fault) throw error;
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    throw keysUnavailable(
      isLate ? `the issuer does not answer within ${fetchTimeoutMs / 1000} s` : 'the issuer cannot be reached',
      error,
    );
  }
};
