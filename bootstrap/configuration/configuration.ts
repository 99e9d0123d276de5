import { sequenceS } from 'fp-ts/lib/Apply.js';
import { isLeft, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import {
  type Block,
  below,
  block,
  everyError,
  isMapping,
  member,
  type Option,
  type Options,
  problemAt,
  type Written,
  withErrors,
} from '../../adapters/kit/option-block.ts';
import type { Codec, duration, WrittenOf } from '../../adapters/kit/option-codecs.ts';
import type { PropertyRules } from '../../domain/user-limits.ts';
import { type Database, type databaseBlock, decodeDatabase } from './adapter-block.ts';
import { type Admin, type adminBlock, decodeAdmin, sharedKeys } from './admin-block.ts';
import { type Auth, decodeAuth, type WrittenAuth } from './auth-block.ts';
import { changeWithoutUrl, decodeEmail, type EmailBlock, type emailBlock, type Verification } from './email-block.ts';
import { decodeEvents, type Events, type eventsBlock } from './events-block.ts';
import { forbiddenProperty } from './languages-block.ts';
import {
  type AuditBlock,
  type auditBlock,
  decodeAudit,
  decodeLogging,
  type Logging,
  type loggingBlock,
  silentAudit,
} from './logging-block.ts';
import { decodeOpenApi, type OpenApi, type openApiBlock } from './open-api-block.ts';
import { decodePasswordHash, type PasswordHashBlock, type passwordHashBlock } from './password-hash-block.ts';
import {
  decodePasswordRules,
  idlePasswordRules,
  type PasswordRules,
  type passwordRulesBlock,
  passwordRulesOf,
} from './password-rules-block.ts';
import {
  decodeOperationTimeout,
  decodePrivacy,
  decodeProperties,
  hidingWithoutCheck,
  type Privacy,
  type privacyBlock,
  type propertiesBlock,
  type timeoutBlock,
} from './policy-blocks.ts';
import { decodeRecovery, impossibleRecovery, type RecoveryBlock, type recoveryBlock } from './recovery-block.ts';
import type { SecretsBlock, secretsBlock } from './secrets-block.ts';
import { decodeServer, type Server, type serverBlock } from './server-block.ts';
import { decodeThrottle, type Throttle, type throttleBlock } from './throttle-block.ts';

/** The decoded configuration, with its secrets and files. */
export interface Configuration {
  readonly server: Server;
  readonly logging: Logging;
  readonly database: Database;
  /** Null when `email.type` is none: addresses are not verified. */
  readonly email: EmailBlock | null;
  readonly verification: Verification;
  readonly secrets: SecretsBlock;
  readonly passwordHash: PasswordHashBlock;
  /** Null when every new password is accepted. */
  readonly passwordRules: PasswordRules | null;
  /** Null when forgotten passwords cannot be replaced. */
  readonly recovery: RecoveryBlock | null;
  readonly privacy: Privacy;
  /** Null when wrong passwords are not counted. */
  readonly throttle: Throttle | null;
  /** Null when custom properties are not checked. */
  readonly properties: PropertyRules | null;
  readonly operationTimeoutMs: number;
  readonly openApi: OpenApi;
  /** Null when every protected request is denied. */
  readonly auth: Auth | null;
  readonly admin: Admin;
  /** Null when requests are not audited. */
  readonly audit: AuditBlock | null;
  /** Null when no events are stored or sent. */
  readonly events: Events | null;
}

const anything: Codec<unknown, never> = t.unknown;

/** A block that its own module decodes. `W` is the type of what a configuration may hold in it. */
const section = <W>(meaning: string): Option<unknown, W> => ({ codec: anything, meaning, fallback: { value: null } });

type WrittenBlock<B> = B extends Block<infer O extends Options> ? Written<O> : never;
/** A block with further options, which depend on the adapter that it names. */
type WrittenAdapterBlock<B> = WrittenBlock<B> & { readonly [option: string]: unknown };

/** The blocks of the file. `latchkey/testing` derives the type of its configuration from their types. */
export const sections = block({
  server: section<WrittenBlock<typeof serverBlock>>('Where the service listens.'),
  logging: section<WrittenBlock<typeof loggingBlock>>('What is logged.'),
  database: section<WrittenAdapterBlock<typeof databaseBlock>>('Where users are stored; required.'),
  email: section<WrittenAdapterBlock<typeof emailBlock>>('How verification mails are sent, and what they contain.'),
  secrets: section<WrittenAdapterBlock<typeof secretsBlock>>(
    'The provider of the secrets that the file names as ${NAME}.',
  ),
  passwordHash: section<WrittenAdapterBlock<typeof passwordHashBlock>>('How passwords are hashed and checked.'),
  passwordRules: section<WrittenBlock<typeof passwordRulesBlock>>(
    'The rules of new passwords; without it every password is accepted.',
  ),
  recovery: section<WrittenBlock<typeof recoveryBlock>>(
    'How users replace a forgotten password; without it they cannot.',
  ),
  throttle: section<WrittenBlock<typeof throttleBlock>>('The limits on wrong passwords; without it there are none.'),
  privacy: section<WrittenBlock<typeof privacyBlock>>('What responses hide.'),
  properties: section<WrittenBlock<typeof propertiesBlock>>(
    'The custom properties that users may have and must have; without it any.',
  ),
  operationTimeout: section<WrittenOf<typeof duration> | WrittenBlock<typeof timeoutBlock>>(
    'The timeout of an operation of the service.',
  ),
  options: section<WrittenBlock<typeof timeoutBlock>>('Another place for operationTimeout.'),
  openApi: section<WrittenBlock<typeof openApiBlock>>('The OpenAPI document, and the page that shows it.'),
  auth: section<WrittenAuth>('Who may use the service; without it no client.'),
  admin: section<WrittenBlock<typeof adminBlock>>('Who may administer users on the admin port; without it no one.'),
  audit: section<WrittenBlock<typeof auditBlock>>(
    'Where the service writes a line for each request about a user. Without the block there is no audit.',
  ),
  events: section<WrittenBlock<typeof eventsBlock>>('The webhooks that receive events about users; without it none.'),
});

/** What a configuration file may hold. */
export type WrittenConfiguration = Written<typeof sections.options>;

type Blocks = Omit<Configuration, 'email' | 'verification' | 'passwordRules'> & Parameters<typeof idlePasswordRules>[0];

/** The errors of blocks that are valid by themselves and contradict each other. */
const contradictionsOf = (blocks: Blocks): t.Errors => {
  const { database, server, passwordHash, privacy } = blocks;
  const workers = below([], 'server', 'workers');
  return [
    ...(database.type === 'memory' && server.workers > 1
      ? [problemAt(workers, 'must be 1 with database.type: memory, because each process has users of its own')]
      : []),
    ...idlePasswordRules(blocks),
    ...hidingWithoutCheck(privacy, passwordHash.headerCheck),
    ...sharedKeys(blocks),
    ...silentAudit(blocks),
  ];
};

/**
 * Decodes every block of a document whose placeholders are filled in, and keeps the errors of all of them. Adapters of
 * other packages are searched in `folders`.
 */
export const decode = async (
  document: unknown,
  secrets: t.Validation<SecretsBlock>,
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
    passwordRules: decodePasswordRules(...at('passwordRules')),
    recovery: decodeRecovery(...at('recovery')),
    throttle: decodeThrottle(...at('throttle')),
    privacy: decodePrivacy(...at('privacy')),
    properties: decodeProperties(...at('properties')),
    operationTimeoutMs: decodeOperationTimeout(document),
    openApi: decodeOpenApi(...at('openApi')),
    auth: decodeAuth(...at('auth')),
    admin: decodeAdmin(...at('admin')),
    audit: decodeAudit(...at('audit')),
    events: decodeEvents(...at('events')),
  });
  if (isLeft(decoded)) return decoded;
  const { known: _, emailOptions, ...blocks } = decoded.right;
  const passwordRules = passwordRulesOf(blocks.passwordRules, blocks.passwordHash);
  const configuration = { ...blocks, ...emailOptions, passwordRules };
  return withErrors(right(configuration), [
    ...contradictionsOf(blocks),
    ...forbiddenProperty(emailOptions.email?.languages, blocks.properties),
    ...impossibleRecovery(configuration),
    ...changeWithoutUrl(configuration),
  ]);
};
