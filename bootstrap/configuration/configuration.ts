import { isLeft, right } from 'fp-ts/lib/Either.js';
import { identity } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { block, isMapping, member, type Written } from '../../adapters/kit/option-block.ts';
import type { duration, WrittenOf } from '../../adapters/kit/option-codecs.ts';
import { auditSection } from '../features/audit-block.ts';
import { eventsSection } from '../features/events-block.ts';
import { invitationsSection } from '../features/invitations-block.ts';
import { impossibleNames } from '../features/names-block.ts';
import { noticesSection } from '../features/notices-block.ts';
import { type PasswordRulesBlock, passwordRulesOf, passwordRulesSection } from '../features/password-rules-block.ts';
import { recoverySection } from '../features/recovery-block.ts';
import { impossibleQuietness, signUpSection } from '../features/sign-up-block.ts';
import { throttleSection } from '../features/throttle-block.ts';
import { usersSection } from '../features/users-block.ts';
import { databaseBlock, decodeDatabase } from './adapter-block.ts';
import { adminBlock, contradictoryKeys, decodeAdmin } from './admin-block.ts';
import { type Auth, contradictoryClients, decodeAuth, type WrittenAuth } from './auth-block.ts';
import { decodeEmail, type EmailOptions, impossibleEmail } from './email-block.ts';
import { emailBlock } from './email-options.ts';
import { below, problemAt, validate, withErrors } from './option-errors.ts';
import { decodePasswordHash, passwordHashBlock } from './password-hash-block.ts';
import {
  activityBlock,
  decodeOperationTimeout,
  loggingBlock,
  openApiBlock,
  privacyBlock,
  propertiesBlock,
  shadowedProperty,
  type timeoutBlock,
} from './plain-blocks.ts';
import type { SecretsBlock, secretsBlock } from './secrets-block.ts';
import {
  adapterBlock,
  decodedBlock,
  elsewhere,
  optionalBlock,
  plainBlock,
  type Section,
  section,
  type WithOptions,
} from './section.ts';
import { decodeServer, serverBlock, unsharedMemory } from './server-block.ts';

/**
 * The blocks of the file, each in one entry, with what it contradicts in the others. Those of most optional features are
 * declared with them.
 */
const blocks = {
  server: decodedBlock(serverBlock, 'Where the service listens.', decodeServer, unsharedMemory),
  logging: plainBlock(loggingBlock, 'What is logged.'),
  database: adapterBlock(databaseBlock, 'Where users are stored; required.', decodeDatabase),
  email: adapterBlock(emailBlock, 'How mails are sent, and what they contain.', decodeEmail, impossibleEmail),
  secrets: elsewhere<WithOptions<Written<typeof secretsBlock.options>>>('Where ${NAME} comes from.'),
  passwordHash: adapterBlock(passwordHashBlock, 'How passwords are hashed and checked.', decodePasswordHash),
  passwordRules: passwordRulesSection,
  recovery: recoverySection,
  invitations: invitationsSection,
  notices: noticesSection,
  throttle: throttleSection,
  signUp: signUpSection,
  activity: optionalBlock(
    activityBlock,
    'When the password of each user was last right; not recorded without it.',
    identity,
  ),
  privacy: plainBlock(privacyBlock, 'What responses hide.', impossibleQuietness),
  users: usersSection,
  properties: optionalBlock(
    propertiesBlock,
    'The custom properties that users may have and must have.',
    identity,
    (properties, others: Parameters<typeof shadowedProperty>[1] & Parameters<typeof impossibleNames>[1]) => [
      ...shadowedProperty(properties, others),
      ...impossibleNames(properties, others),
    ],
  ),
  operationTimeout: elsewhere<WrittenOf<typeof duration> | Written<typeof timeoutBlock.options>>(
    'The timeout of an operation of the service.',
  ),
  options: elsewhere<Written<typeof timeoutBlock.options>>('Another place for operationTimeout.'),
  openApi: plainBlock(openApiBlock, 'The OpenAPI document, and the page that shows it.'),
  auth: section<Auth | undefined, WrittenAuth>(
    'Who may use the service; without it no client.',
    decodeAuth,
    contradictoryClients,
  ),
  admin: decodedBlock(adminBlock, 'Who may administer users.', decodeAdmin, contradictoryKeys),
  audit: auditSection,
  events: eventsSection,
};

/** The options of the file. `latchkey/testing` derives the type of its configuration from their types. */
export const sections = block(blocks);

type Blocks = typeof blocks;

/** What a configuration file may hold. */
export type WrittenConfiguration = Written<Blocks>;

type Decodings = {
  readonly [K in keyof Blocks as Blocks[K] extends Section<unknown, unknown> ? K : never]: Blocks[K] extends Section<
    infer A,
    unknown
  >
    ? A
    : never;
};

type OptionalKey = { [K in keyof Decodings]: undefined extends Decodings[K] ? K : never }[keyof Decodings];

/** The decoded blocks; one that switches something on is absent if the file has none. */
type DecodedBlocks = Omit<Decodings, OptionalKey> & {
  readonly [K in OptionalKey]?: NonNullable<Decodings[K]>;
};

/** The decoded configuration, with its secrets and files. */
export interface Configuration extends Omit<DecodedBlocks, 'email' | 'passwordRules'>, EmailOptions {
  readonly secrets: SecretsBlock;
  readonly passwordRules?: PasswordRulesBlock;
  readonly operationTimeoutMs: number;
}

/** Without errors every block is decoded. */
const isComplete = (_: Readonly<Record<string, unknown>>, errors: t.Errors): _ is DecodedBlocks => errors.length === 0;

interface Decoded {
  readonly values: DecodedBlocks;
  /** The errors of blocks that are valid by themselves and contradict each other. */
  contradictions(configuration: Configuration): t.Errors;
}

const decodeBlocks = async (document: unknown, folders: readonly string[]): Promise<t.Validation<Decoded>> => {
  const known = validate(sections, document ?? {}, []);
  const errors: t.Errors = isLeft(known) ? known.left : [];
  const values: Record<string, unknown> = {};
  const checks: Decoded['contradictions'][] = [];
  for (const [name, entry] of Object.entries(blocks)) {
    if (!('decode' in entry)) continue;
    const result = await entry.decode(member(document, name), below([], name), folders);
    if (isLeft(result)) {
      errors.push(...result.left);
      continue;
    }
    const { block, contradictions } = result.right;
    if (block !== undefined) values[name] = block;
    const at = (path: string) => below([], name, ...path.split('.').filter((key) => key !== ''));
    checks.push((others) => contradictions(others).map(({ path, message }) => problemAt(at(path), message)));
  }
  if (!isComplete(values, errors)) return t.failures(errors);
  return t.success({ values, contradictions: (configuration) => checks.flatMap((check) => check(configuration)) });
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
  const decoded = await decodeBlocks(document, folders);
  const timeout = decodeOperationTimeout(document);
  if (isLeft(decoded) || isLeft(timeout) || isLeft(secrets))
    return t.failures([decoded, secrets, timeout].flatMap((part) => (isLeft(part) ? part.left : [])));
  const { email, passwordRules, ...others } = decoded.right.values;
  const configuration: Configuration = {
    ...others,
    ...email,
    secrets: secrets.right,
    ...(passwordRules && { passwordRules: passwordRulesOf(passwordRules, others.passwordHash) }),
    operationTimeoutMs: timeout.right,
  };
  return withErrors(right(configuration), decoded.right.contradictions(configuration));
};
