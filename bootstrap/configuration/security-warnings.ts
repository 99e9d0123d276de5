import { isLoopback } from '../../adapters/kit/addresses.ts';
import { longSecret, shortestSecret } from './auth.ts';
import type { Configuration } from './configuration.ts';

/** Whether what is sent to a URL crosses the network unencrypted. */
const isUnencrypted = (url: string): boolean => {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
};

const ofTransport = ({ server, admin }: Configuration): readonly string[] => {
  const { host, tls, publicUrl, adminHost, adminTls } = server;
  const isPublic = tls === null && !isLoopback(host);
  return [
    ...(publicUrl !== null && isUnencrypted(publicUrl)
      ? [
          'server.publicUrl starts with http://: passwords and links cross the network unencrypted; end TLS in a proxy or with server.tls, and write https://',
        ]
      : []),
    // An https:// address says that a proxy ends TLS, which nothing else tells.
    ...(isPublic && (publicUrl === null || (publicUrl.startsWith('http:') && !isUnencrypted(publicUrl)))
      ? [
          'server.host accepts connections from other machines without TLS: passwords cross the network unencrypted; write server.tls, or end TLS in a proxy and write its https:// address as server.publicUrl',
        ]
      : []),
    ...(admin.keys.length > 0 && adminTls === null && !isLoopback(adminHost)
      ? [
          'server.adminHost accepts connections from other machines without TLS: keys of administrators cross the network unencrypted; write server.adminTls, or 127.0.0.1',
        ]
      : []),
  ];
};

const algorithmWarnings: Readonly<Record<string, string>> = {
  simple:
    'passwordHash.algorithm is simple: passwords are stored as clients send them; write algorithm: argon2 and serverSideHash: true',
  sha256:
    'passwordHash.algorithm is sha256: stolen hashes are fast to guess; write algorithm: argon2, serverSideHash: true, accept: [sha256] and rehash: true',
};

const ofStoredPasswords = ({ passwordHash: { algorithm } }: Configuration): readonly string[] => {
  const warning = algorithmWarnings[algorithm];
  return warning === undefined ? [] : [warning];
};

const ofGuessing = ({ throttle, passwordHash: { headerCheck } }: Configuration): readonly string[] =>
  throttle === null && headerCheck
    ? ['throttle is absent: passwords can be guessed without limit; write throttle: { clientHeader: X-Client-Address }']
    : [];

const ofTokens = ({ auth }: Configuration): readonly string[] => {
  if (auth?.type !== 'oauth') return [];
  return [
    ...(auth.audience.length === 0
      ? [
          'auth.audience is empty: tokens that the issuer made for other services are accepted; write the name of this service there',
        ]
      : []),
    ...(auth.requireExpiry ? [] : ['auth.requireExpiry is false: tokens that never expire are accepted; write true']),
  ];
};

const ofSecrets = ({ auth }: Configuration): readonly string[] =>
  auth?.type !== 'basic'
    ? []
    : auth.keys.flatMap(({ secret }, index) =>
        secret.length < shortestSecret ? [`auth.keys[${index}].secret is short; ${longSecret}`] : [],
      );

const ofProxies = ({ server: { trustProxy, host } }: Configuration): readonly string[] =>
  typeof trustProxy === 'number' && !isLoopback(host)
    ? [
        'server.trustProxy: anyone who can reach the port directly can forge X-Forwarded headers; list the addresses or networks of the proxy instead, such as [10.0.0.5]',
      ]
    : [];

const ofLinks = ({ email }: Configuration): readonly string[] =>
  email !== null && email.tokenLifetime === null
    ? ['email.tokenLifetime is absent: the link in a mail never expires; write tokenLifetime: 24h']
    : [];

const ofWebhooks = ({ events }: Configuration): readonly string[] =>
  (events?.webhooks ?? []).flatMap(({ url }, index) =>
    isUnencrypted(url)
      ? [
          `events.webhooks[${index}].url starts with http://: email addresses cross the network unencrypted; write an https:// URL`,
        ]
      : [],
  );

/** What is allowed and dangerous, a line for each with its remedy. No line repeats a value, which may be a secret. */
export const securityWarningsOf = (configuration: Configuration): readonly string[] => [
  ...ofTransport(configuration),
  ...ofStoredPasswords(configuration),
  ...ofGuessing(configuration),
  ...ofProxies(configuration),
  ...ofSecrets(configuration),
  ...ofTokens(configuration),
  ...ofLinks(configuration),
  ...ofWebhooks(configuration),
];
