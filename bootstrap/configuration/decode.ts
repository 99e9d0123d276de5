import { sequenceS } from 'fp-ts/lib/Apply.js';
import { isLeft, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { block, optional } from '../../adapters/kit/option-block.ts';
import type { Codec } from '../../adapters/kit/option-codecs.ts';
import { decodeAdmin, sharedKeys } from './administration.ts';
import { decodeAudit, unheard } from './audit.ts';
import { decodeAuth } from './auth.ts';
import type { Configuration } from './configuration.ts';
import { decodeDatabase } from './database.ts';
import { isMapping, member } from './document.ts';
import { decodeEmail } from './email.ts';
import { decodeEvents } from './events.ts';
import { decodeLogging } from './logging.ts';
import { decodeOpenApi } from './open-api.ts';
import { decodeOperationTimeout } from './operation-timeout.ts';
import { decodePasswordHash } from './password-hash.ts';
import { decodePrivacy, revealed } from './privacy.ts';
import { decodeProperties } from './properties.ts';
import type { Secrets } from './secrets.ts';
import { decodeServer } from './server.ts';
import { decodeThrottle } from './throttle.ts';
import { alsoFailing, below, everyError, problemAt } from './validation.ts';

const anything: Codec<unknown> = t.unknown;

/** The blocks of the file. Each is decoded by its own module. */
export const sections = block({
  server: optional(anything, 'Where the service listens.'),
  logging: optional(anything, 'What is logged.'),
  database: optional(anything, 'Where users are kept; required.'),
  email: optional(anything, 'How verification mails are sent, and what they say.'),
  secrets: optional(anything, 'Where ${NAME} is looked up.'),
  passwordHash: optional(anything, 'How passwords are hashed and compared.'),
  throttle: optional(anything, 'How many wrong passwords are too many; none are when it is absent.'),
  privacy: optional(anything, 'What the service keeps to itself.'),
  properties: optional(anything, 'Which custom properties a user may and must have; anything when it is absent.'),
  operationTimeout: optional(anything, 'How long an operation of the service may take.'),
  options: optional(anything, 'Another place for operationTimeout.'),
  openApi: optional(anything, 'The description of the service, and the page that shows it.'),
  auth: optional(anything, 'Who may use the service; nobody when it is absent.'),
  admin: optional(anything, 'Who may administrate users on the admin port; nobody when it is absent.'),
  audit: optional(anything, 'Where a line is written for each request about a user; nowhere when it is absent.'),
  events: optional(anything, 'Who is told of what happens to users; nobody when it is absent.'),
});

/** Workers of which each would keep users that the others don't know. */
const apart = ({ database, server }: Pick<Configuration, 'database' | 'server'>): t.Errors =>
  database.type === 'memory' && server.workers > 1
    ? [problemAt(below([], 'server', 'workers'), 'users in memory are those of one process; write 1')]
    : [];

/** Counts of wrong passwords where none is checked. */
const idle = ({ throttle, passwordHash }: Pick<Configuration, 'throttle' | 'passwordHash'>): t.Errors =>
  throttle !== null && !passwordHash.headerCheck
    ? [problemAt(below([], 'throttle'), 'has no effect: passwordHash.headerCheck is false, and no password is checked')]
    : [];

/**
 * Decodes every block of a document whose placeholders are filled in, and keeps the errors of all of them. `folders` are
 * those from which adapters of other packages are looked for.
 */
export const decode = async (
  document: unknown,
  secrets: t.Validation<Secrets>,
  folders: readonly string[],
): Promise<t.Validation<Configuration>> => {
  if (!isMapping(document ?? {})) return t.failures([problemAt([], 'expected a block of options')]);
  const at = (key: string) => [member(document, key), below([], key)] as const;
  const decoded = sequenceS(everyError)({
    known: sections.validate(document ?? {}, []),
    server: decodeServer(...at('server')),
    logging: decodeLogging(...at('logging')),
    database: await decodeDatabase(...at('database'), folders),
    emailOptions: await decodeEmail(...at('email'), folders),
    secrets,
    passwordHash: await decodePasswordHash(...at('passwordHash'), folders),
    throttle: decodeThrottle(...at('throttle')),
    privacy: decodePrivacy(...at('privacy')),
    properties: decodeProperties(...at('properties')),
    operationTimeout: decodeOperationTimeout(document, []),
    openApi: decodeOpenApi(...at('openApi')),
    auth: decodeAuth(...at('auth')),
    admin: decodeAdmin(...at('admin')),
    audit: decodeAudit(...at('audit')),
    events: decodeEvents(...at('events')),
  });
  if (isLeft(decoded)) return decoded;
  const { known: _, emailOptions, ...others } = decoded.right;
  const contradictions = [
    ...apart(others),
    ...idle(others),
    ...revealed(others.privacy, others.passwordHash.headerCheck),
    ...sharedKeys(others),
    ...unheard(others),
  ];
  return alsoFailing(right({ ...others, ...emailOptions }), contradictions);
};
