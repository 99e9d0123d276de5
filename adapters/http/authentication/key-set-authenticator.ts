import { type Authenticator, type Client, credentialsOf, type PromptAuthenticator } from './authenticator.ts';
import { type ClaimsPolicy, headerOf, type Prover, proverOf, type TokenHeader } from './bearer-token.ts';
import { isOfKeyPair, type KeySet, type SigningKey } from './key-set.ts';
import { bearerChallenge } from './oauth.ts';
import { digestOf, mostProven, ProvenTokens } from './proven-tokens.ts';
import type { SigningKeys } from './signing-keys.ts';

/** A token that was sent, and by what it is remembered. */
interface Sent {
  readonly token: string;
  readonly digest: string;
}

/** Undefined for what throws: every way in which a token can be wrong is the same answer. */
const orNothing = <A>(read: () => A): A | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/**
 * Bearer tokens that are signed with keys which their issuer publishes and changes. A key of the set decides on the
 * tokens that name it; all others are shown to the keys that are configured first. It waits only for
 * keys that have to be fetched first, and throws the Fault `keys_unavailable` where none are known.
 */
export class KeySetAuthenticator implements Authenticator {
  readonly challenge = bearerChallenge;
  private readonly prove: Prover;
  private proven = new ProvenTokens(mostProven);
  private provenBy: KeySet;

  constructor(
    policy: ClaimsPolicy,
    private readonly keys: SigningKeys,
    /** Accepts tokens of keys that are configured; null where there are none. */
    private readonly others: PromptAuthenticator | null,
  ) {
    this.prove = proverOf(policy);
    this.provenBy = keys.current;
  }

  authenticate(header: string | undefined): Client | undefined | Promise<Client | undefined> {
    const token = credentialsOf('bearer', header);
    if (token === undefined) return undefined;
    const sent: Sent = { token, digest: digestOf(token) };
    const known = this.keys.areFresh ? this.remembered(sent) : undefined;
    if (known !== undefined) return known;
    const claimed = orNothing(() => headerOf(token));
    if (claimed === undefined || !isOfKeyPair(claimed.alg)) return this.others?.authenticate(header);
    const other = this.names(claimed) ? undefined : this.others?.authenticate(header);
    if (other !== undefined) return other;
    const prepared = this.keys.prepare();
    return prepared === undefined ? this.decide(sent, claimed) : prepared.then(() => this.decide(sent, claimed));
  }

  private decide(sent: Sent, claimed: TokenHeader): Client | undefined | Promise<Client | undefined> {
    const key = this.keys.current.find(claimed.kid, claimed.alg);
    if (key !== undefined) return this.clientBy(key, sent);
    if (!this.keys.areKnown) throw this.keys.unavailable();
    if (claimed.kid === undefined || this.names(claimed)) return undefined;
    return this.keys.refresh()?.then(() => {
      const fetched = this.keys.current.find(claimed.kid, claimed.alg);
      return fetched && this.clientBy(fetched, sent);
    });
  }

  /** Whether a token names a key of the set, which then decides on it alone. */
  private names({ kid }: TokenHeader): boolean {
    return kid !== undefined && this.keys.current.has(kid);
  }

  /** The client of a token that was proven by the keys as they are. */
  private remembered({ digest }: Sent): Client | undefined {
    if (this.provenBy !== this.keys.current) {
      // A key that was withdrawn proves nothing any more.
      this.proven = new ProvenTokens(mostProven);
      this.provenBy = this.keys.current;
    }
    return this.proven.clientOf(digest, Date.now());
  }

  private clientBy({ key, algorithms }: SigningKey, sent: Sent): Client | undefined {
    const known = this.remembered(sent);
    if (known !== undefined) return known;
    const { token, digest } = sent;
    const proof = orNothing(() => this.prove(token, key, algorithms));
    if (proof !== undefined) this.proven.add(digest, proof.client, proof.until);
    return proof?.client;
  }
}
