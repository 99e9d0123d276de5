import type { KeyObject } from 'node:crypto';
import type jwt from 'jsonwebtoken';

/** A public key with which an issuer's tokens are verified. */
export interface SigningKey {
  /** How tokens name it; undefined when the issuer gave it no name. */
  readonly id: string | undefined;
  readonly key: KeyObject;
  /** Those that the key itself permits, by its type, curve and `alg`. */
  readonly algorithms: readonly jwt.Algorithm[];
}

const ofRsa: readonly jwt.Algorithm[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

/** Each curve has one algorithm (RFC 7518, section 3.4); the names are those of OpenSSL. */
const ofCurves: Readonly<Record<string, jwt.Algorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

const signingAlgorithms: ReadonlySet<string> = new Set([...ofRsa, ...Object.values(ofCurves)]);

/** Whether tokens with this algorithm are signed with a pair of keys, and may be verified with one of a set. */
export const isOfKeyPair = (algorithm: string): boolean => signingAlgorithms.has(algorithm);

// NIST SP 800-131A.
const smallestModulus = 2048;

/** The algorithms that a key permits; `declared` is its `alg`, which binds it to one (RFC 7517, section 4.4). */
export const algorithmsOf = (key: KeyObject, declared: string | undefined): readonly jwt.Algorithm[] => {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  const ofCurve = key.asymmetricKeyType === 'ec' ? ofCurves[namedCurve] : undefined;
  const isLongRsa = key.asymmetricKeyType === 'rsa' && modulusLength >= smallestModulus;
  const possible = isLongRsa ? ofRsa : ofCurve === undefined ? [] : [ofCurve];
  return declared === undefined ? possible : possible.filter((algorithm) => algorithm === declared);
};

/** The keys that an issuer publishes at one time (RFC 7517, section 5). */
export class KeySet {
  constructor(readonly keys: readonly SigningKey[]) {}

  /** The one key that suits a token: with its key id, or for a token that names none the only one of its algorithm. */
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

  /** Whether both accept the same tokens. */
  equals({ keys }: KeySet): boolean {
    const isIn = (all: readonly SigningKey[], { id, key, algorithms }: SigningKey): boolean =>
      all.some((other) => other.id === id && other.key.equals(key) && other.algorithms.join() === algorithms.join());
    return keys.length === this.keys.length && keys.every((key) => isIn(this.keys, key));
  }
}
