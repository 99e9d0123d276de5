import { type Authenticator, basicAuthenticator, denyAll } from '../../adapters/http/authentication/authenticator.ts';
import type { Component } from '../../application/health.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Auth } from '../configuration/auth.ts';

/** How clients are authenticated, and the parts of the service that this depends on. */
export interface Authentication {
  readonly authenticator: Authenticator;
  readonly components: readonly Component[];
}

type Oauth = Extract<Auth, { type: 'oauth' }>;

/** Tokens with keys that the issuer publishes: they are being fetched from now on, and the start waits for nothing. */
const withKeySet = async (auth: Oauth, url: string, log: Log): Promise<Authentication> => {
  const [{ KeySetAuthenticator }, { SigningKeys }, { fetchKeySet }, { bearerAuthenticator }] = await Promise.all([
    import('../../adapters/http/authentication/key-set-authenticator.ts'),
    import('../../adapters/http/authentication/signing-keys.ts'),
    import('../../adapters/http/authentication/key-set.ts'),
    import('../../adapters/http/authentication/bearer-token.ts'),
  ]);
  const keys = new SigningKeys(() => fetchKeySet(url), log);
  keys.prepare();
  const configured = auth.hmacKey === null && auth.rsaKey === null ? null : bearerAuthenticator(auth);
  return {
    authenticator: new KeySetAuthenticator(auth, keys, configured),
    components: [{ name: 'signing keys', check: () => keys.check() }],
  };
};

/** How clients are authenticated by the block `auth`; without one, not at all. */
export const authenticationOf = async (auth: Auth | null, log: Log): Promise<Authentication> => {
  if (auth === null) return { authenticator: denyAll, components: [] };
  if (auth.type === 'basic') return { authenticator: basicAuthenticator(auth.keys), components: [] };
  if (auth.jwksUrl !== null) return withKeySet(auth, auth.jwksUrl, log);
  const { bearerAuthenticator } = await import('../../adapters/http/authentication/bearer-token.ts');
  return { authenticator: bearerAuthenticator(auth), components: [] };
};
