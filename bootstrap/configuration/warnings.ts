import { isLoopback } from '../../adapters/kit/address-codecs.ts';
import { isNotice, type MailKind } from '../../application/outgoing/mail-queue.ts';
import type { ExpiringSecret } from '../../application/ports/expiring-secret.ts';
import { isBuiltIn, type Languages } from '../features/languages-block.ts';
import type { Configuration } from './configuration.ts';
import { ineffectiveOptions } from './ineffective-options.ts';
import { minSecretLength, secretAdvice } from './key-block.ts';
import type { Placed } from './rotation.ts';
import { certificatesOf, type Server } from './server-block.ts';

/** A warning; `null`, `false` and `undefined` are none. */
type Warning = string | null | false | undefined;

/** Whether what is sent to a URL crosses the network unencrypted. */
const isUnencrypted = (url: string): boolean => {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
};

const transportWarnings = ({ server, admin, events }: Configuration): readonly Warning[] => {
  const { host, tls, publicUrl, adminHost, adminTls, trustProxy } = server;
  // An https:// URL says that a proxy ends TLS; nothing else shows it.
  const hasNoTls = publicUrl === null || (publicUrl.startsWith('http:') && !isUnencrypted(publicUrl));
  return [
    publicUrl !== null &&
      isUnencrypted(publicUrl) &&
      'server.publicUrl starts with http://: passwords and links cross the network unencrypted; end TLS in a proxy or with server.tls, and write https://',
    tls === null &&
      !isLoopback(host) &&
      hasNoTls &&
      'server.host accepts connections from other machines without TLS: passwords cross the network unencrypted; write server.tls, or end TLS in a proxy and write its https:// URL as server.publicUrl',
    admin.keys.length > 0 &&
      adminTls === null &&
      !isLoopback(adminHost) &&
      'server.adminHost accepts connections from other machines without TLS: keys of administrators cross the network unencrypted; write server.adminTls, or adminHost: 127.0.0.1',
    typeof trustProxy === 'number' &&
      !isLoopback(host) &&
      'server.trustProxy: anyone who can reach the port directly can forge X-Forwarded headers; list the addresses or networks of the proxies instead, such as [10.0.0.5]',
    ...(events?.webhooks ?? []).map(
      ({ url }, index) =>
        isUnencrypted(url) &&
        `events.webhooks[${index}].url starts with http://: email addresses cross the network unencrypted; write an https:// URL`,
    ),
  ];
};

/** Certificates are usually renewed 30 days before their end, so a renewal has failed for two weeks. */
const warningMs = 14 * 24 * 3_600_000;

/** Warnings about certificates that have ended, or end within 14 days. */
export const certificateWarnings = (server: Server, nowMs = Date.now()): readonly string[] =>
  certificatesOf(server)
    .filter(({ endMs }) => endMs < nowMs + warningMs)
    .map(({ option, endMs }) => {
      const day = new Date(endMs).toISOString().slice(0, 10);
      const ends = endMs <= nowMs ? `a certificate ended on ${day}: clients refuse it` : `a certificate ends on ${day}`;
      return `${option}: ${ends}; renew it and reload the service`;
    });

/** The secrets that expire, with their places in the file. */
export const expiringSecrets = ({ auth, admin, email, events, recovery }: Configuration) =>
  [
    ...(auth?.type === 'basic' ? auth.keys.flatMap(({ secrets }) => secrets) : (auth?.hmacKeys ?? [])),
    ...[...admin.keys, ...(events?.webhooks ?? [])].flatMap<Placed<ExpiringSecret>>(({ secrets }) => secrets),
    ...(email?.codes?.keys ?? []),
    ...(recovery?.codeKeys ?? []),
  ].flatMap(({ option, expires }) => (expires === null ? [] : [{ option, expires }]));

/** Whether a key has two secrets, of which the former is removed once it is not used any more. */
export const hasTwoSecrets = ({ auth, admin }: Configuration): boolean =>
  [...(auth?.type === 'basic' ? auth.keys : [{ secrets: auth?.hmacKeys ?? [] }]), ...admin.keys].some(
    ({ secrets }) => secrets.length > 1,
  );

/** Warnings about secrets that have expired, or expire within 14 days. */
export const secretWarnings = (configuration: Configuration, nowMs = Date.now()): readonly string[] =>
  expiringSecrets(configuration)
    .filter(({ expires }) => expires < nowMs + warningMs)
    .map(({ option, expires }) => {
      const time = new Date(expires).toISOString().slice(0, 16);
      return expires <= nowMs
        ? `${option} expired on ${time}Z; remove it`
        : `${option} expires on ${time}Z; change it wherever it is still used`;
    });

const algorithmWarnings: Readonly<Record<string, string>> = {
  simple:
    'passwordHash.algorithm is simple: passwords are stored as clients send them; write algorithm: argon2 and serverSideHash: true',
  sha256:
    'passwordHash.algorithm is sha256: stolen hashes are fast to guess; write algorithm: argon2, serverSideHash: true, accept: [sha256] and rehash: true',
};

/** Algorithms whose checks take no longer than a look-up in the cache. */
const fastAlgorithms = ['simple', 'sha256', 'salted-digest'];

const passwordWarnings = (configuration: Configuration): readonly Warning[] => {
  const { passwordHash, throttle, signUp } = configuration;
  const { algorithm, accept, cache, headerCheck } = passwordHash;
  return [
    algorithmWarnings[algorithm],
    cache !== null &&
      [algorithm, ...accept].every((word) => fastAlgorithms.includes(word)) &&
      `passwordHash.cache saves no time with ${algorithm}; remove it`,
    throttle === undefined &&
      `throttle is absent: passwords can be guessed without limit${headerCheck ? '' : ' by POST /users/check'}; write throttle: { clientHeader: X-Client-Address }`,
    throttle !== undefined &&
      throttle.limits.clientFailures > 0 &&
      throttle.clientHeader === null &&
      'throttle.clientHeader is absent: all users of an application that calls from one address share throttle.clientFailures',
    signUp !== undefined &&
      signUp.perClient !== null &&
      (signUp.clientHeader ?? throttle?.clientHeader ?? null) === null &&
      'signUp.clientHeader is absent: all who sign up with an application that calls from one address share signUp.perClient',
  ];
};

const authWarnings = ({ auth }: Configuration): readonly Warning[] => {
  const denied = 'every request to a protected path will be denied';
  if (auth === undefined) return [`auth is absent: ${denied}`];
  if (auth.type === 'oauth')
    return [
      auth.audience.length === 0 &&
        'auth.audience is empty: tokens for other services of the issuer are accepted; write the audience of this service',
      !auth.requireExpiry && 'auth.requireExpiry is false: tokens that never expire are accepted; write true',
    ];
  return [
    auth.keys.length === 0 && `auth.keys is empty: ${denied}`,
    ...auth.keys
      .flatMap(({ secrets }) => secrets)
      .map(
        ({ secret, option }) =>
          secret !== null && secret.length < minSecretLength && `${option} is short; ${secretAdvice}`,
      ),
  ];
};

/** Languages without built-in texts, and without the texts that every service with mails needs. */
const missingTexts = ({ tags, defaultTag, messages, pages }: Languages, ofDefault: string | null): readonly Warning[] =>
  tags
    .filter((tag) => !isBuiltIn(tag))
    .flatMap((tag) => [
      messages.verification[tag] === undefined &&
        (tag !== defaultTag || ofDefault === null) &&
        `email.messages.verification.locales.${tag} is absent: these mails are in ${tag === defaultTag ? 'English' : 'the default language'}`,
      (pages[tag]?.verification ?? null) === null &&
        `email.pages.locales.${tag}.verification is absent: these pages are in another language`,
    ]);

const emailWarnings = ({ email, server, verification, recovery }: Configuration): readonly Warning[] => {
  if (email === undefined) return [];
  const { html, text, placeholder } = email.message;
  const lacksLink = (option: string, body: string | null, placeholderString: string) =>
    body?.includes(placeholderString) === false &&
    `email.${option}: the file does not contain urlPlaceholderString, so the mail has no link`;
  const idleLink = (option: string, body: string, placeholderString: string) =>
    (recovery?.requestUrl ?? null) === null &&
    body.includes(placeholderString) &&
    `email.${option}: the file contains urlPlaceholderString, but recovery.requestUrl is absent, so the mail has no link`;
  const bodiesOf = ([kind, byTag]: readonly [string, Languages['messages'][MailKind]]) =>
    Object.entries(byTag).flatMap(([tag, { bodyHtmlFilePath, bodyTextFilePath, urlPlaceholderString }]) => {
      const warn = isNotice(kind) ? idleLink : lacksLink;
      return [
        warn(`messages.${kind}.locales.${tag}.bodyHtmlFilePath`, bodyHtmlFilePath, urlPlaceholderString),
        warn(`messages.${kind}.locales.${tag}.bodyTextFilePath`, bodyTextFilePath, urlPlaceholderString),
      ];
    });
  return [
    server.publicUrl === null &&
      email.codes === undefined &&
      'server.publicUrl is absent: links in mails start with the host that the request names, which its sender chooses',
    lacksLink('messageOptions.bodyHtmlFilePath', html, placeholder),
    lacksLink('messageOptions.bodyTextFilePath', text, placeholder),
    ...Object.entries(email.languages.messages).flatMap(bodiesOf),
    ...missingTexts(email.languages, text ?? html),
    verification.tokenLifetimeMs === null &&
      'email.tokenLifetime is absent: links in mails never expire; write tokenLifetime: 24h',
  ];
};

/** Warnings about settings that are valid but dangerous or probably not intended. None repeats a value. */
export const warningsOf = (configuration: Configuration): readonly string[] =>
  [
    configuration.database.type === 'memory' && 'database.type is memory: users are lost when the service stops',
    ...authWarnings(configuration),
    ...emailWarnings(configuration),
    ...transportWarnings(configuration),
    ...certificateWarnings(configuration.server),
    ...secretWarnings(configuration),
    ...passwordWarnings(configuration),
    ...ineffectiveOptions(configuration),
  ].filter((warning) => typeof warning === 'string');
