import type { KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { type Authenticator, type Client, credentialsOf } from './authenticator.ts';

/** What a bearer token must satisfy (specification, section 5). A family without a key is not accepted. */
export interface TokenPolicy {
  readonly hmacKey: KeyObject | null;
  readonly rsaKey: KeyObject | null;
  readonly issuer: string;
  /** One of these must be an audience of the token; empty accepts any, and none. */
  readonly audience: readonly string[];
  readonly requireExpiry: boolean;
}

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

  const verified = (token: string): Client | undefined => {
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
    return { name: typeof payload.sub === 'string' ? payload.sub : undefined };
  };

  return {
    authenticate: (header) => {
      const token = credentialsOf('bearer', header);
      if (token === undefined) return undefined;
      try {
        return verified(token);
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
