import type { Clock } from '../../../application/ports/clock.ts';
import type { SecretUse } from '../../../application/ports/expiring-secret.ts';
import type { Log } from '../../../application/ports/log.ts';
import { type Authenticator, type Client, credentialsOf, type ImmediateAuthenticator } from './authenticator.ts';
import {
  attempt,
  bearerAuthenticator,
  bearerChallenge,
  type ClaimsPolicy,
  digestOf,
  headerOf,
  scopeChallenge,
  type TokenHeader,
  VerifiedTokens,
  type Verifier,
  verifierFor,
} from './bearer-token.ts';
import { fetchJwks, isAsymmetric, type Jwks, type SigningKey } from './jwks.ts';
import { JwksCache } from './jwks-cache.ts';

interface SentToken {
  readonly token: string;
  readonly digest: string;
}

/**
 * Accepts bearer tokens that are signed with keys which their issuer publishes and changes. A token that names a key of
 * the set is verified with this key; any other token with the configured keys first. Waits only when keys have to be
 * fetched first, and throws the Fault `keys_unavailable` when none are known.
 */
export class JwksAuthenticator implements Authenticator {
  readonly challenge = bearerChallenge;
  readonly challengeToScope: NonNullable<Authenticator['challengeToScope']>;
  private readonly verify: Verifier;
  private verified = new VerifiedTokens();
  private verifiedBy: Jwks;

  constructor(
    policy: ClaimsPolicy,
    private readonly keys: JwksCache,
    /** Accepts tokens of configured keys; null without any. */
    private readonly configured: ImmediateAuthenticator | null,
    private readonly clock: Clock,
  ) {
    this.verify = verifierFor(policy, clock);
    this.challengeToScope = scopeChallenge(policy);
    this.verifiedBy = keys.current;
  }

  get uses(): readonly SecretUse[] {
    return this.configured?.uses ?? [];
  }

  authenticate(header: string | undefined): Client | undefined | Promise<Client | undefined> {
    const token = credentialsOf('bearer', header);
    if (token === undefined) return undefined;
    const sent: SentToken = { token, digest: digestOf(token) };
    const known = this.keys.areFresh ? this.cached(sent) : undefined;
    if (known !== undefined) return known;
    const claimed = attempt(() => headerOf(token));
    if (claimed === undefined || !isAsymmetric(claimed.alg)) return this.configured?.authenticate(header);
    const client = this.namesKnownKey(claimed) ? undefined : this.configured?.authenticate(header);
    if (client !== undefined) return client;
    const fetching = this.keys.fetchIfStale();
    return fetching === undefined ? this.decide(sent, claimed) : fetching.then(() => this.decide(sent, claimed));
  }

  private decide(sent: SentToken, claimed: TokenHeader): Client | undefined | Promise<Client | undefined> {
    const key = this.keys.current.find(claimed.kid, claimed.alg);
    if (key !== undefined) return this.clientBy(key, sent);
    if (!this.keys.areKnown) throw this.keys.unavailable();
    if (claimed.kid === undefined || this.namesKnownKey(claimed)) return undefined;
    return this.keys.fetchForUnknownKey()?.then(() => {
      const fetched = this.keys.current.find(claimed.kid, claimed.alg);
      return fetched && this.clientBy(fetched, sent);
    });
  }

  /** Whether a token names a key of the set. */
  private namesKnownKey({ kid }: TokenHeader): boolean {
    return kid !== undefined && this.keys.current.has(kid);
  }

  /** The client of a token that the current keys have verified before. */
  private cached({ digest }: SentToken): Client | undefined {
    if (this.verifiedBy !== this.keys.current) {
      // Tokens of a withdrawn key are no longer accepted.
      this.verified = new VerifiedTokens();
      this.verifiedBy = this.keys.current;
    }
    return this.verified.clientOf(digest, this.clock.now());
  }

  private clientBy({ key, algorithms }: SigningKey, sent: SentToken): Client | undefined {
    const known = this.cached(sent);
    if (known !== undefined) return known;
    const { token, digest } = sent;
    const proof = attempt(() => this.verify(token, key, algorithms));
    if (proof !== undefined) this.verified.add(digest, proof);
    return proof?.client;
  }
}

/** The keys published at a URL. Starts to fetch them, and does not wait for them. */
export const openPublishedKeys = (url: string, log: Log): JwksCache => {
  const keys = new JwksCache((signal) => fetchJwks(url, signal), log);
  keys.fetchIfStale();
  return keys;
};

/** Accepts tokens that are signed with published keys, and those of configured keys. */
export const publishedKeysAuthenticator = (
  auth: Parameters<typeof bearerAuthenticator>[0],
  keys: JwksCache,
  clock: Clock,
): Authenticator => {
  const configured = auth.hmacKeys.length === 0 && auth.rsaKey === null ? null : bearerAuthenticator(auth, clock);
  return new JwksAuthenticator(auth, keys, configured, clock);
};
