import type { KeyObject } from 'node:crypto';
import type jwt from 'jsonwebtoken';
import { type Client, credentialsOf, type PromptAuthenticator } from './authenticator.ts';
import { type ClaimsPolicy, headerOf, proverOf } from './bearer-token.ts';
import { digestOf, mostProven, type Proof, ProvenTokens } from './proven-tokens.ts';

/** What a bearer token must satisfy where the keys are configured. A family without a key is not accepted. */
export interface TokenPolicy extends ClaimsPolicy {
  readonly hmacKey: KeyObject | null;
  readonly rsaKey: KeyObject | null;
}

const families: Readonly<Record<string, readonly jwt.Algorithm[]>> = {
  HS: ['HS256', 'HS384', 'HS512'],
  RS: ['RS256', 'RS384', 'RS512'],
};

/** The challenge of a 401 to a bearer token (RFC 6750, section 3), or to none. */
export const bearerChallenge = (header: string | undefined): string =>
  credentialsOf('bearer', header) === undefined
    ? 'Bearer realm="latchkey"'
    : 'Bearer realm="latchkey", error="invalid_token"';

/** Bearer tokens (RFC 6750, RFC 7519): each family of algorithms is verified with its own key only (RFC 8725, section 3.1). */
export const oauthAuthenticator = (policy: TokenPolicy): PromptAuthenticator => {
  const prove = proverOf(policy);
  const proven = new ProvenTokens(mostProven);

  const verified = (token: string): Proof | undefined => {
    const family = headerOf(token)?.alg.slice(0, 2) ?? '';
    const key = family === 'HS' ? policy.hmacKey : family === 'RS' ? policy.rsaKey : null;
    const algorithms = families[family];
    return key === null || algorithms === undefined ? undefined : prove(token, key, algorithms);
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
    challenge: bearerChallenge,
  };
};
