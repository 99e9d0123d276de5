// The parts of the public port that the configuration switches on; each is loaded only then.
import type { Middleware } from 'koa';
import { type Authenticator, basicAuthenticator } from '../../adapters/http/authentication/authenticator.ts';
import type { Audit, AuditEntry, AuditSink } from '../../adapters/http/server/request-audit.ts';
import type { TrustedProxies } from '../../adapters/http/server/trusted-proxies.ts';
import type { Component } from '../../application/health.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Auth } from '../configuration/auth-block.ts';
import { type Configuration, ConfigurationError } from '../configuration/index.ts';

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
  const [{ KeySetAuthenticator }, { SigningKeys }, { fetchKeySet }, { bearerAuthenticator }] = await Promise.all([
    import('../../adapters/http/authentication/key-set-authenticator.ts'),
    import('../../adapters/http/authentication/signing-keys.ts'),
    import('../../adapters/http/authentication/key-set.ts'),
    import('../../adapters/http/authentication/bearer-token.ts'),
  ]);
  const keys = new SigningKeys((signal) => fetchKeySet(url, signal), log);
  keys.prepare();
  const configured = auth.hmacKey === null && auth.rsaKey === null ? null : bearerAuthenticator(auth);
  return {
    authenticator: new KeySetAuthenticator(auth, keys, configured),
    components: [{ name: 'signing keys', check: () => keys.check() }],
    close: () => keys.close(),
  };
};

/** The authentication of the block `auth`; without the block, every protected request is denied (specification, section 5). */
export const openAuthentication = async (auth: Auth | null, log: Log): Promise<Authentication> => {
  if (auth === null) return withoutKeys(basicAuthenticator([]));
  if (auth.type === 'basic') return withoutKeys(basicAuthenticator(auth.keys));
  if (auth.jwksUrl !== null) return withPublishedKeys(auth, auth.jwksUrl, log);
  const { bearerAuthenticator } = await import('../../adapters/http/authentication/bearer-token.ts');
  return withoutKeys(bearerAuthenticator(auth));
};

/** The middleware of CORS; none unless browsers may call the service from other origins. */
export const openCors = async ({ origins }: Configuration['server']): Promise<readonly Middleware[]> =>
  origins.length === 0 ? [] : [(await import('../../adapters/http/server/cors.ts')).corsFor(origins)];

/** Null unless X-Forwarded headers are trusted. */
export const openTrustedProxies = async ({ trustProxy }: Configuration['server']): Promise<TrustedProxies | null> => {
  if (trustProxy === false) return null;
  const { TrustedProxies } = await import('../../adapters/http/server/trusted-proxies.ts');
  return new TrustedProxies(trustProxy);
};

const auditFileErrors: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'is a folder; write the path of a file',
  EROFS: 'is on a read-only file system',
};

const openAuditSink = async (target: NonNullable<Configuration['audit']>, log: Log): Promise<AuditSink> => {
  if (target.to === 'log') {
    // The log adds a time of its own; strict JSON parsers reject a line with two.
    const write = ({ time: _, ...entry }: AuditEntry): void => log.info(entry, 'audit');
    return { write, close: async () => undefined };
  }
  const { openAuditFile } = await import('../../adapters/observability/audit-file.ts');
  try {
    return openAuditFile(target.file, log);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const message = `${auditFileErrors[code] ?? 'cannot be opened'} (${code})`;
    throw new ConfigurationError('the configuration', [{ path: 'audit.file', message }]);
  }
};

/** Null unless requests are audited. Throws a ConfigurationError for a file that cannot be opened. */
export const openAudit = async ({ audit }: Configuration, log: Log): Promise<Audit | null> => {
  if (audit === null) return null;
  const [{ auditTo }, sink] = await Promise.all([
    import('../../adapters/http/server/request-audit.ts'),
    openAuditSink(audit, log),
  ]);
  return auditTo(sink);
};
