import { type Authenticator, basicAuthenticator } from '../../adapters/http/authentication/authenticator.ts';
import type { JwksCache } from '../../adapters/http/authentication/jwks-cache.ts';
import type { Component } from '../../application/health.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Auth } from '../configuration/auth-block.ts';

/** How clients are authenticated, and the health of what that needs. */
export interface Authentication {
  readonly authenticator: Authenticator;
  readonly components: readonly Component[];
  /** Ends a fetch of signing keys. */
  close(): void;
}

const withoutKeys = (authenticator: Authenticator): Authentication => ({
  authenticator,
  components: [],
  close: () => undefined,
});

type OAuth = Extract<Auth, { type: 'oauth' }>;

/** The signing keys that were fetched, by their URL, as long as they are used: generations with one URL share them. */
export class KeySets {
  private readonly opened = new Map<string, { readonly keys: JwksCache; users: number }>();

  use(url: string, open: () => JwksCache): JwksCache {
    const known = this.opened.get(url) ?? { keys: open(), users: 0 };
    known.users++;
    this.opened.set(url, known);
    return known.keys;
  }

  /** Ends a fetch once its keys are not used any more. */
  leave(url: string): void {
    const known = this.opened.get(url);
    if (known === undefined || --known.users > 0) return;
    this.opened.delete(url);
    known.keys.close();
  }
}

/** Verifies tokens with the issuer's published keys. Starts to fetch the keys, and does not wait for them. */
const withPublishedKeys = async (auth: OAuth, url: string, log: Log, clock: Clock, sets: KeySets) => {
  const { openPublishedKeys, publishedKeysAuthenticator } = await import(
    '../../adapters/http/authentication/jwks-authenticator.ts'
  );
  const keys = sets.use(url, () => openPublishedKeys(url, log));
  return {
    authenticator: publishedKeysAuthenticator(auth, keys, clock),
    components: [{ name: 'signing keys', check: () => keys.check() }],
    close: () => sets.leave(url),
  };
};

/**
 * The authentication of the block `auth`; without the block, every protected request is denied
 * (docs/configuration.md).
 */
export const openAuthentication = async (
  auth: Auth | undefined,
  log: Log,
  clock: Clock,
  sets = new KeySets(),
): Promise<Authentication> => {
  if (auth === undefined) return withoutKeys(basicAuthenticator([]));
  if (auth.type === 'basic') return withoutKeys(basicAuthenticator(auth.keys, clock));
  if (auth.jwksUrl !== null) return withPublishedKeys(auth, auth.jwksUrl, log, clock, sets);
  const { bearerAuthenticator } = await import('../../adapters/http/authentication/bearer-token.ts');
  return withoutKeys(bearerAuthenticator(auth, clock));
};
