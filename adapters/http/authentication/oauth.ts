import type { KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { type Authenticator, type Client, credentialsOf } from './authenticator.ts';
import { digestOf, type Proof, ProvenTokens } from './proven-tokens.ts';

/** What a bearer token must satisfy (specification, section 5). A family without a key is not accepted. */
export interface TokenPolicy {
  readonly hmacKey: KeyObject | null;
  readonly rsaKey: KeyObject | null;
  readonly issuer: string;
  /** One of these must be an audience of the token; empty accepts any, and none. */
  readonly audience: readonly string[];
  readonly requireExpiry: boolean;
}

/** How many tokens are remembered that were proven: more than the clients of a service use at a time. */
const mostProven = 10_000;

/** How far the clocks of the issuer and the service may differ, in seconds. */
const clockTolerance = 5;

const families: Readonly<Record<string, readonly jwt.Algorithm[]>> = {
  HS: ['HS256', 'HS384', 'HS512'],
  RS: ['RS256', 'RS384', 'RS512'],
};

const isFiniteOrAbsent = (claim: unknown): boolean => claim === undefined || Number.isFinite(claim);

/** Bearer tokens (RFC 6750, RFC 7519): each family of algorithms is verified with its own key only (RFC 8725, section 3.1). */
export const oauthAuthenticator = (policy: TokenPolicy): Authenticator => {
  const [audience, ...others] = policy.audience;
  const claims: jwt.VerifyOptions & { complete?: false } = { issuer: policy.issuer, clockTolerance };
  if (audience !== undefined) claims.audience = [audience, ...others];

  const proven = new ProvenTokens(mostProven);

  const verified = (token: string): Proof | undefined => {
    const header = jwt.decode(token, { complete: true })?.header;
    // A critical extension must be understood (RFC 7515, section 4.1.11), and none is.
    if (header === undefined || 'crit' in header) return undefined;
    const family = header.alg.slice(0, 2);
    const key = family === 'HS' ? policy.hmacKey : family === 'RS' ? policy.rsaKey : null;
    const algorithms = families[family];
    if (key === null || algorithms === undefined) return undefined;
    const payload = jwt.verify(token, key, { ...claims, algorithms: [...algorithms] });
    if (typeof payload !== 'object' || !isFiniteOrAbsent(payload.exp) || !isFiniteOrAbsent(payload.nbf))
      return undefined;
    if (policy.requireExpiry && payload.exp === undefined) return undefined;
    const until = payload.exp === undefined ? Number.POSITIVE_INFINITY : (payload.exp + clockTolerance) * 1000;
    return { client: { name: typeof payload.sub === 'string' ? payload.sub : undefined }, until };
  };

  const clientOf = (token: string): Client | undefined => {
    const digest = digestOf(token);
    const known = proven.clientOf(digest, Date.now());
    if (known !== undefined) return known;
    const proof = verified(token);
    if (proof !== undefined) proven.add(digest, proof.client, proof.until);
    return proof?.client;
  };

  return {
    authenticate: (header) => {
      const token = credentialsOf('bearer', header);
      if (token === undefined) return undefined;
      try {
        return clientOf(token);
      } catch {
        // Every way in which a token can be wrong is the same answer.
        return undefined;
      }
    },
    challenge: (header) =>
      credentialsOf('bearer', header) === undefined
        ? 'Bearer realm="latchkey"'
        : 'Bearer realm="latchkey", error="invalid_token"',
  };
};
