import { type Authenticator, denyAll } from '../adapters/http/authentication/authenticator.ts';
import { basicAuthenticator } from '../adapters/http/authentication/basic.ts';
import type { Configuration } from './configuration/index.ts';

/** How clients are authenticated by the block `auth`; without one, not at all. */
export const authenticatorOf = async (auth: Configuration['auth']): Promise<Authenticator> => {
  if (auth === null) return denyAll;
  if (auth.type === 'basic') return basicAuthenticator(auth.keys);
  const { oauthAuthenticator } = await import('../adapters/http/authentication/oauth.ts');
  return oauthAuthenticator(auth);
};
