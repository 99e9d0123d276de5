import { hash, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../application/ports/clock.ts';
import { usesOf } from '../../../application/ports/expiring-secret.ts';
import { systemClock } from '../../system-clock.ts';
import { type Client, credentialsOf, type HmacKey, type ImmediateAuthenticator } from './authenticator.ts';
import { type ClientPermission, clientPermissions, type Permission } from './permissions.ts';

/** The conditions for the claims of a bearer token (docs/configuration.md, “auth”). */
export interface ClaimsPolicy {
  readonly issuer: string;
  /** One of these must be an audience of the token. An empty list accepts any audience, and none. */
  readonly audience: readonly string[];
  readonly requireExpiry: boolean;
  /** What precedes a permission in a scope of a token; null or absent where every token may do everything. */
  readonly scopePrefix?: string | null;
}

/** The header of a token, whose signature has not been verified. */
export interface TokenHeader {
  readonly alg: string;
  readonly kid: string | undefined;
}

/** The client that a verified token proves. */
interface VerifiedToken {
  readonly client: Client;
  /** When the token begins and expires, in milliseconds since the epoch. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Verifies a token with a key and some of its algorithms. Throws, or returns undefined, for a token that is not valid. */
export type Verifier = (
  token: string,
  key: KeyObject,
  algorithms: readonly jwt.Algorithm[],
) => VerifiedToken | undefined;

/** How far the clocks of the issuer and of the service may differ. */
const clockToleranceSeconds = 5;

const isFiniteOrAbsent = (claim: unknown): boolean => claim === undefined || Number.isFinite(claim);

/** The header of a token. Returns undefined, or throws, when it is malformed or has a critical extension. */
export const headerOf = (token: string): TokenHeader | undefined => {
  const header = jwt.decode(token, { complete: true })?.header;
  // A critical extension must be understood (RFC 7515, section 4.1.11), and the service understands none.
  if (header === undefined || 'crit' in header) return undefined;
  const { alg, kid }: { alg: unknown; kid?: unknown } = header;
  return typeof alg === 'string' && (kid === undefined || typeof kid === 'string') ? { alg, kid } : undefined;
};

/** The permissions in the claim `scope`: a list, or text with spaces between (RFC 8693, section 4.2). Ignores any other scope. */
const permissionsIn = (scope: unknown, prefix: string): ReadonlySet<ClientPermission> => {
  const scopes: readonly unknown[] = typeof scope === 'string' ? scope.split(' ') : Array.isArray(scope) ? scope : [];
  return new Set(clientPermissions.filter((permission) => scopes.includes(prefix + permission)));
};

/** Verifies signatures, and claims by a policy (RFC 7519, section 4.1). */
export const verifierFor = (policy: ClaimsPolicy, clock: Clock): Verifier => {
  const { scopePrefix = null } = policy;
  const [audience, ...others] = policy.audience;
  const claims: jwt.VerifyOptions & { complete?: false } = {
    issuer: policy.issuer,
    clockTolerance: clockToleranceSeconds,
  };
  if (audience !== undefined) claims.audience = [audience, ...others];
  return (token, key, algorithms) => {
    const clockTimestamp = Math.floor(clock.now() / 1000);
    const payload = jwt.verify(token, key, { ...claims, algorithms: [...algorithms], clockTimestamp });
    if (typeof payload !== 'object' || !isFiniteOrAbsent(payload.exp) || !isFiniteOrAbsent(payload.nbf))
      return undefined;
    if (policy.requireExpiry && payload.exp === undefined) return undefined;
    const fromMs = payload.nbf === undefined ? Number.NEGATIVE_INFINITY : (payload.nbf - clockToleranceSeconds) * 1000;
    const untilMs = payload.exp === undefined ? Number.POSITIVE_INFINITY : (payload.exp + clockToleranceSeconds) * 1000;
    const name = typeof payload.sub === 'string' ? payload.sub : undefined;
    const may = scopePrefix === null ? undefined : permissionsIn(payload.scope, scopePrefix);
    return { client: { name, ...(may && { may }) }, fromMs, untilMs };
  };
};

/**
 * The maximum number of cached tokens, more than the clients of a service use at a time. Each takes about 300 bytes, and as much for permissions.
 */
const maxVerifiedTokens = 10_000;

/**
 * Keeps verified tokens until they expire, so that a token is verified only once. Tokens are found by their digests; when
 * there are too many, the least recently used one is removed.
 */
export class VerifiedTokens {
  private readonly tokens: LRUCache<string, VerifiedToken>;

  constructor(max = maxVerifiedTokens) {
    this.tokens = new LRUCache({ max });
  }

  /** The client of a verified token that is still valid at `nowMs`, in milliseconds since the epoch. */
  clientOf(digest: string, nowMs: number): Client | undefined {
    const token = this.tokens.get(digest);
    // A clock that is set back may be before the beginning of a token that it has accepted.
    return token !== undefined && token.fromMs <= nowMs && nowMs < token.untilMs ? token.client : undefined;
  }

  add(digest: string, token: VerifiedToken): void {
    this.tokens.set(digest, token);
  }
}

/** The cache key of a token: a digest, so that the duration of a lookup reveals nothing about cached tokens. */
export const digestOf = (token: string): string => hash('sha256', token, 'base64');

/** The challenge of a 401 (RFC 6750, section 3). */
export const bearerChallenge = (header: string | undefined): string =>
  credentialsOf('bearer', header) === undefined
    ? 'Bearer realm="latchkey"'
    : 'Bearer realm="latchkey", error="invalid_token"';

/** The challenge of a 403, with the scope that the token lacks (RFC 6750, section 3.1). */
export const scopeChallenge =
  ({ scopePrefix }: ClaimsPolicy) =>
  (permission: Permission): string =>
    `Bearer realm="latchkey", error="insufficient_scope", scope="${scopePrefix ?? ''}${permission}"`;

/** Configured keys. Without a key, the tokens of its family of algorithms are refused. */
export interface TokenPolicy extends ClaimsPolicy {
  readonly hmacKeys: readonly HmacKey[];
  readonly rsaKey: KeyObject | null;
}

const families = {
  HS: ['HS256', 'HS384', 'HS512'],
  RS: ['RS256', 'RS384', 'RS512'],
} as const;

/** The result of `read`; undefined if it throws, so that every invalid token gets the same response, which does not reveal the reason. */
export const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** Verifies a token with each of the secrets that are valid. It is accepted no longer than the secret that signed it. */
const hmacVerifier = (keys: readonly HmacKey[], verify: Verifier, clock: Clock) => {
  const uses = usesOf(keys.map(({ key, option }) => ({ option, id: hash('sha256', key.export()), clock })));
  const verifyWith = (token: string): VerifiedToken | undefined => {
    for (const [at, { key, expires }] of keys.entries()) {
      const endMs = expires ?? Number.POSITIVE_INFINITY;
      const proof = clock.now() < endMs ? attempt(() => verify(token, key, families.HS)) : undefined;
      if (proof === undefined) continue;
      const use = uses[at] ?? null;
      const client = use === null ? proof.client : { ...proof.client, secret: use };
      return { ...proof, client, untilMs: Math.min(proof.untilMs, endMs) };
    }
    return undefined;
  };
  return { verifyWith, uses: uses.filter((use) => use !== null) };
};

/**
 * Accepts bearer tokens that are signed with configured keys (RFC 6750, RFC 7519). Each family of algorithms is verified
 * with its own key only (RFC 8725, section 3.1).
 */
export const bearerAuthenticator = (policy: TokenPolicy, clock = systemClock): ImmediateAuthenticator => {
  const verify = verifierFor(policy, clock);
  const hmac = hmacVerifier(policy.hmacKeys, verify, clock);
  const verified = new VerifiedTokens();

  const verifyWithFamily = (token: string): VerifiedToken | undefined => {
    const family = headerOf(token)?.alg.slice(0, 2);
    if (family === 'HS') return hmac.verifyWith(token);
    return family === 'RS' && policy.rsaKey !== null ? verify(token, policy.rsaKey, families.RS) : undefined;
  };

  const clientOf = (token: string): Client | undefined => {
    const digest = digestOf(token);
    const known = verified.clientOf(digest, clock.now());
    if (known !== undefined) return known;
    const proof = verifyWithFamily(token);
    if (proof !== undefined) verified.add(digest, proof);
    return proof?.client;
  };

  return {
    authenticate: (header) => {
      const token = credentialsOf('bearer', header);
      return token === undefined ? undefined : attempt(() => clientOf(token));
    },
    challenge: bearerChallenge,
    challengeToScope: scopeChallenge(policy),
    uses: hmac.uses,
  };
};
