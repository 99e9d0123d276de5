import type { Configuration } from './configuration.ts';
import type { Email } from './email.ts';
import { securityWarningsOf } from './security-warnings.ts';

const ofAuth = ({ auth }: Configuration): readonly string[] => {
  if (auth === null) return ['auth is absent: every request to a protected path will be denied'];
  return auth.type === 'basic' && auth.keys.length === 0
    ? ['auth.keys is empty: every request to a protected path will be denied']
    : [];
};

const ofBody = (email: Email, body: 'html' | 'text', option: string): readonly string[] =>
  email.message[body]?.includes(email.message.placeholder) === false
    ? [`email.messageOptions.${option}: the file does not contain urlPlaceholderString, so the mail has no link`]
    : [];

const ofEmail = ({ email, server }: Configuration): readonly string[] => {
  if (email === null) return [];
  return [
    ...(server.publicUrl === null
      ? ['server.publicUrl is absent: the link in a mail starts with the host that the request names']
      : []),
    ...ofBody(email, 'html', 'bodyHtmlFilePath'),
    ...ofBody(email, 'text', 'bodyTextFilePath'),
  ];
};

const ofDatabase = ({ database }: Configuration): readonly string[] =>
  database.type === 'memory' ? ['database.type is memory: the users are gone when the service stops'] : [];

const ofThrottle = ({ throttle }: Configuration): readonly string[] =>
  throttle !== null && throttle.limits.clientFailures > 0 && throttle.clientHeader === null
    ? [
        'throttle.clientHeader is absent: the users of a client that calls from one address share throttle.clientFailures',
      ]
    : [];

/** Algorithms whose checks take no longer than to remember that there was one. */
const cheap = ['simple', 'sha256'];

const ofPasswordHash = ({ passwordHash: { algorithm, accept, cache } }: Configuration): readonly string[] =>
  cache !== null && [algorithm, ...accept].every((word) => cheap.includes(word))
    ? [`passwordHash.cache: a check with ${algorithm} costs no more than the cache; leave it out`]
    : [];

/** What is allowed and likely not meant, or dangerous, a line for each. */
export const warningsOf = (configuration: Configuration): readonly string[] => [
  ...ofDatabase(configuration),
  ...ofAuth(configuration),
  ...ofEmail(configuration),
  ...ofThrottle(configuration),
  ...ofPasswordHash(configuration),
  ...securityWarningsOf(configuration),
];
