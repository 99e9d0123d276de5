import type * as t from 'io-ts';
import {
  below,
  block,
  optional,
  type Problem,
  problemAt,
  type Values,
  withDefault,
} from '../../adapters/kit/option-block.ts';
import { choice, duration, refine, text, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import type { AttemptLimits } from '../../application/ports/attempt-counter.ts';
import type { PropertyRules } from '../../domain/user-limits.ts';
import type { EmailBlock } from '../configuration/email-block.ts';
import type { PasswordHashBlock } from '../configuration/password-hash-block.ts';
import type { Privacy } from '../configuration/plain-blocks.ts';
import type { Server } from '../configuration/server-block.ts';

const maxAttempts = 1_000;
const minKeyBytes = 32;

const isPageUrl = (value: string): boolean => {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return false;
  const { username, password, hash, searchParams } = new URL(value);
  return username === '' && password === '' && hash === '' && !searchParams.has('email') && !searchParams.has('token');
};

/** The options that do not fit together: a code has no link, and a caller writes the mail itself. */
const contradictions = ({ lifetime, resendInterval, form, pageUrl, deliver, codeKey }: Written): readonly Problem[] => [
  ...(resendInterval > lifetime
    ? [{ path: 'resendInterval', message: 'is longer than lifetime: a token would expire before the next one' }]
    : []),
  ...(form === 'code' && codeKey === null
    ? [{ path: 'codeKey', message: `is required with form: code; to make one: openssl rand -base64 ${minKeyBytes}` }]
    : []),
  ...(form === 'link' && codeKey !== null ? [{ path: 'codeKey', message: 'has no effect with form: link' }] : []),
  ...(form === 'code' && pageUrl !== null ? [{ path: 'pageUrl', message: 'has no effect with form: code' }] : []),
  ...(deliver === 'caller' && pageUrl !== null
    ? [{ path: 'pageUrl', message: 'has no effect with deliver: caller, which sends no mail' }]
    : []),
];

const options = {
  lifetime: withDefault(duration, '1h', 'How long a token replaces a forgotten password.'),
  resendInterval: withDefault(duration, '60s', 'The minimum time between two tokens of a user.'),
  attempts: withDefault(
    wholeNumber(1, maxAttempts),
    5,
    'The number of wrong tokens for an address, within the lifetime, after which further ones are refused.',
  ),
  form: withDefault(
    choice(['link', 'code'] as const),
    'link',
    'What the mail contains: a link to a page, or a code of six digits for the application to ask for.',
  ),
  pageUrl: optional(
    refine(
      text,
      isPageUrl,
      'expected an http or https URL without user and fragment, and without email and token in its query',
    ),
    'The page of the application that the link opens, with the query parameters email and token. Without it the link opens a page of the service.',
  ),
  deliver: withDefault(
    choice(['mail', 'caller'] as const),
    'mail',
    'Who sends the token: the service by mail, or the calling application, which gets it in the response.',
  ),
  codeKey: optional(
    refine(text, (key) => Buffer.byteLength(key) >= minKeyBytes, `expected at least ${minKeyBytes} bytes`),
    `The secret key of the digests of codes, of at least ${minKeyBytes} bytes; required for form: code.`,
  ),
};

type Written = Values<typeof options>;

/** The block `recovery`. */
export const recoveryBlock = block(options, contradictions);

export const recoveryOf = ({ lifetime, resendInterval, ...others }: Written) => ({
  ...others,
  lifetimeMs: lifetime,
  resendIntervalMs: resendInterval,
});

/** The decoded block. */
export type RecoveryBlock = ReturnType<typeof recoveryOf>;

/** The limits on wrong tokens. */
export const tokenLimits = ({ attempts, lifetimeMs }: RecoveryBlock): AttemptLimits => ({
  failures: attempts,
  clientFailures: 0,
  windowMs: lifetimeMs,
  blockMs: lifetimeMs,
});

/** Whether the link of a mail opens a page of the service itself. */
export const hasRecoveryPage = ({ form, deliver, pageUrl }: RecoveryBlock): boolean =>
  form === 'link' && deliver === 'mail' && pageUrl === null;

interface OtherBlocks {
  readonly recovery: RecoveryBlock | null;
  readonly passwordRules: unknown;
  readonly properties: PropertyRules | null;
  readonly email: EmailBlock | null;
  readonly server: Server;
  readonly passwordHash: PasswordHashBlock;
  readonly privacy: Privacy;
}

/** The member that users get with one of the blocks, so that it is no custom property any more. */
const shadowedProperty = ({ recovery, passwordRules, properties }: OtherBlocks): t.Errors => {
  const index = properties?.allowed.findIndex(({ name }) => name === 'passwordTime') ?? -1;
  if (index < 0 || (recovery === null && passwordRules === null)) return [];
  const at = below([], 'properties', 'allowed', String(index), 'name');
  return [problemAt(at, 'is a member of every user with the blocks recovery and passwordRules, not a custom property')];
};

/** The errors of a recovery that other blocks make impossible or unsafe. */
export const impossibleRecovery = (blocks: OtherBlocks): t.Errors => {
  const { recovery, email, server, passwordHash, privacy } = blocks;
  const shadowed = shadowedProperty(blocks);
  if (recovery === null) return shadowed;
  const hasPage = hasRecoveryPage(recovery);
  const report = (applies: boolean, message: string, ...path: readonly string[]): t.Errors =>
    applies ? [problemAt(below([], 'recovery', ...path), message)] : [];
  return [
    ...shadowed,
    ...report(
      recovery.deliver === 'mail' && email === null,
      'needs a mailer; configure the block email, or write deliver: caller',
    ),
    ...report(
      recovery.deliver === 'caller' && privacy.hideUnknownUsers,
      'contradicts privacy.hideUnknownUsers: the caller learns which addresses are unknown',
      'deliver',
    ),
    // OWASP Forgot Password Cheat Sheet, "URL Tokens": the Host header of a request must not choose the link.
    ...report(
      hasPage && server.publicUrl === null,
      'needs server.publicUrl, with which the link starts; write it, or pageUrl',
    ),
    ...report(
      hasPage && !passwordHash.serverSideHash,
      'needs passwordHash.serverSideHash: true for its page; write it, or the pageUrl of a page that hashes passwords',
    ),
  ];
};
