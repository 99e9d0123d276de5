import { type Authenticator, basicAuthenticator } from '../../adapters/http/authentication/authenticator.ts';
import type { Component } from '../../application/health.ts';
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

/** Verifies tokens with the issuer's published keys. Starts to fetch the keys, and does not wait for them. */
const withPublishedKeys = async (auth: OAuth, url: string, log: Log): Promise<Authentication> => {
  const { openPublishedKeys } = await import('../../adapters/http/authentication/jwks-authenticator.ts');
  const { authenticator, keys } = openPublishedKeys(auth, url, log);
  return {
    authenticator,
    components: [{ name: 'signing keys', check: () => keys.check() }],
    close: () => keys.close(),
  };
};

/**
 * The authentication of the block `auth`; without the block, every protected request is denied
 * (docs/configuration.md).
 */
export const openAuthentication = async (auth: Auth | null, log: Log): Promise<Authentication> => {
  if (auth === null) return withoutKeys(basicAuthenticator([]));
  if (auth.type === 'basic') return withoutKeys(basicAuthenticator(auth.keys));
  if (auth.jwksUrl !== null) return withPublishedKeys(auth, auth.jwksUrl, log);
  const { bearerAuthenticator } = await import('../../adapters/http/authentication/bearer-token.ts');
  return withoutKeys(bearerAuthenticator(auth));
};
