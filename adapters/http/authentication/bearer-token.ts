import type { KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Proof } from './proven-tokens.ts';

/** What the claims of a bearer token must satisfy (specification, section 5). */
export interface ClaimsPolicy {
  readonly issuer: string;
  /** One of these must be an audience of the token; empty accepts any, and none. */
  readonly audience: readonly string[];
  readonly requireExpiry: boolean;
}

/** What a token says about its signature, which nobody has checked yet. */
export interface TokenHeader {
  readonly alg: string;
  readonly kid: string | undefined;
}

/** What a token is proven to be by a key with one of these algorithms; throws, or gives undefined, when it is not. */
export type Prover = (token: string, key: KeyObject, algorithms: readonly jwt.Algorithm[]) => Proof | undefined;

/** How far the clocks of the issuer and the service may differ, in seconds. */
const clockTolerance = 5;

const isFiniteOrAbsent = (claim: unknown): boolean => claim === undefined || Number.isFinite(claim);

/** The header of a token; undefined, or an error, when it is malformed or no token may have it. */
export const headerOf = (token: string): TokenHeader | undefined => {
  const header = jwt.decode(token, { complete: true })?.header;
  // A critical extension must be understood (RFC 7515, section 4.1.11), and none is.
  if (header === undefined || 'crit' in header) return undefined;
  const { alg, kid }: { alg: unknown; kid?: unknown } = header;
  return typeof alg === 'string' && (kid === undefined || typeof kid === 'string') ? { alg, kid } : undefined;
};

/** Proves signatures, and claims by a policy (RFC 7519, section 4.1). */
export const proverOf = (policy: ClaimsPolicy): Prover => {
  const [audience, ...others] = policy.audience;
  const claims: jwt.VerifyOptions & { complete?: false } = { issuer: policy.issuer, clockTolerance };
  if (audience !== undefined) claims.audience = [audience, ...others];
  return (token, key, algorithms) => {
    const payload = jwt.verify(token, key, { ...claims, algorithms: [...algorithms] });
    if (typeof payload !== 'object' || !isFiniteOrAbsent(payload.exp) || !isFiniteOrAbsent(payload.nbf))
      return undefined;
    if (policy.requireExpiry && payload.exp === undefined) return undefined;
    const until = payload.exp === undefined ? Number.POSITIVE_INFINITY : (payload.exp + clockTolerance) * 1000;
    return { client: { name: typeof payload.sub === 'string' ? payload.sub : undefined }, until };
  };
};
