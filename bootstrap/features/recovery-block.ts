import { webUrl } from '../../adapters/kit/address-codecs.ts';
import { block, optional, type Problem, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { choice, duration, refine, text, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import type { AttemptLimits } from '../../application/ports/attempt-counter.ts';
import { codeOptions, codeProblems, defaultAttempts, maxAttempts } from '../configuration/code-options.ts';
import { placed } from '../configuration/rotation.ts';
import { optionalBlock } from '../configuration/section.ts';

const isPageUrl = (value: string): boolean => {
  const url = webUrl(value);
  return url?.hash === '' && !url.searchParams.has('email') && !url.searchParams.has('token');
};

/** The options that do not fit together: a code has no link, and a caller writes the mail itself. */
const contradictions = ({ lifetime, resendInterval, form, pageUrl, deliver, codeKey }: Written): readonly Problem[] => [
  ...(resendInterval > lifetime
    ? [{ path: 'resendInterval', message: 'is longer than lifetime: a token would expire before the next one' }]
    : []),
  ...codeProblems({ form, codeKey }),
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
    defaultAttempts,
    'The wrong tokens for an address, within the lifetime, after which more are refused.',
  ),
  form: codeOptions.form,
  pageUrl: optional(
    refine(
      text,
      isPageUrl,
      'expected an http or https URL without user and fragment, and without email and token in its query',
    ),
    'Your page that the link opens, with email and token in the query; by default a page of the service.',
  ),
  requestUrl: optional(
    refine(text, isPageUrl, 'expected an http or https URL without user, fragment, and email and token in its query'),
    'Your page on which people ask for a new password, to which [notices](notices.md) lead.',
  ),
  deliver: withDefault(
    choice(['mail', 'caller'] as const),
    'mail',
    'Who sends the token: the service, or the client, which gets it in the response.',
  ),
  codeKey: codeOptions.codeKey,
};

type Written = Values<typeof options>;

/** The block `recovery`. */
const recoveryBlock = block(options, contradictions);

const recoveryOf = ({ lifetime, resendInterval, codeKey, ...others }: Written) => ({
  ...others,
  /** The first one makes the codes. */
  codeKeys: placed(codeKey ?? [], 'recovery.codeKey'),
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

/** Why mails are queued, unless the caller sends the token. */
export const recoveryMails = ({ deliver }: RecoveryBlock) =>
  deliver === 'mail' ? [{ path: 'recovery', remedy: 'write deliver: caller' }] : [];

/** Whether the link of a mail opens a page of the service itself. */
export const hasRecoveryPage = ({ form, deliver, pageUrl }: RecoveryBlock): boolean =>
  form === 'link' && deliver === 'mail' && pageUrl === null;

type OtherBlocks = {
  readonly email?: object;
  readonly server: { readonly publicUrl: unknown };
  readonly passwordHash: { readonly serverSideHash: boolean };
  readonly privacy: { readonly hideUnknownUsers: boolean };
};

/** What other blocks make impossible or unsafe. */
const impossibleRecovery = (
  recovery: RecoveryBlock,
  { email, server, passwordHash, privacy }: OtherBlocks,
): readonly Problem[] => {
  const hasPage = hasRecoveryPage(recovery);
  return [
    {
      applies: recovery.deliver === 'mail' && email === undefined,
      path: '',
      message: 'needs a mailer; configure the block email, or write deliver: caller',
    },
    {
      applies: recovery.deliver === 'caller' && privacy.hideUnknownUsers,
      path: 'deliver',
      message: 'contradicts privacy.hideUnknownUsers: the caller learns which addresses are unknown',
    },
    {
      // OWASP Forgot Password Cheat Sheet, "URL Tokens": the Host header of a request must not choose the link.
      applies: hasPage && server.publicUrl === null,
      path: '',
      message: 'needs server.publicUrl, with which the link starts; write it, or pageUrl',
    },
    {
      applies: hasPage && !passwordHash.serverSideHash,
      path: '',
      message:
        'needs passwordHash.serverSideHash: true for its page; write it, or the pageUrl of a page that hashes passwords',
    },
  ].filter(({ applies }) => applies);
};

export const recoverySection = optionalBlock(
  recoveryBlock,
  'How users replace a forgotten password.',
  recoveryOf,
  impossibleRecovery,
);
