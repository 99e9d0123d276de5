import { isLeft, map, right } from 'fp-ts/lib/Either.js';
import { identity } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { block, optional, type Problem, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { flag, longDuration, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import type { AttemptLimits } from '../../application/ports/attempt-counter.ts';
import { type Domains, listedDomain } from '../../application/sign-up/sign-up-rules.ts';
import type { EmailBlock, VerificationBlock } from '../configuration/email-block.ts';
import { webPage } from '../configuration/email-options.ts';
import { textFile } from '../configuration/files.ts';
import { optionCodec, validate } from '../configuration/option-errors.ts';
import { optionalBlock } from '../configuration/section.ts';
import type { Server } from '../configuration/server-block.ts';
import { headerName } from './throttle-block.ts';

const maxPerClient = 1_000_000;

/** A list of domains, or a file with one on each line, where `#` starts a comment. */
const domains = optionCodec<Domains, string | readonly string[]>(
  'a list of domains, or the path of a file with one on each line',
  (value): value is Domains => value instanceof Set,
  (value, context) => {
    const lines = Array.isArray(value)
      ? right(value)
      : map((content: string) => content.split('\n'))(validate(textFile, value, context));
    if (isLeft(lines)) return lines;
    const listed = new Set<string>();
    for (const [index, line] of lines.right.entries()) {
      const written = t.string.is(line) ? line.replace(/#.*/, '').trim() : undefined;
      const domain = written === undefined ? undefined : listedDomain(written);
      if (domain !== undefined) listed.add(domain);
      else if (written !== '')
        return t.failure(value, context, `line ${index + 1} is not a domain such as example.com`);
    }
    return listed.size === 0 ? t.failure(value, context, 'names no domain') : t.success(listed);
  },
);

/** The block `signUp.quiet`. */
export const quietBlock = block({
  url: optional(
    webPage,
    'The page where people sign in or choose a new password, to which the notice leads; by default email.productUrl.',
  ),
  interval: withDefault(longDuration, '15m', 'The minimum time between a mail to a user and the next notice.'),
});

const options = {
  allowedDomains: optional(
    domains,
    'The only domains of new addresses, with their subdomains; a file is read at the start and on SIGHUP.',
  ),
  blockedDomains: optional(domains, 'The domains of no new address, with their subdomains, in the same form.'),
  oneAccountPerMailbox: withDefault(
    flag,
    false,
    'Whether addresses that differ in a tag after +, or in the dots of Gmail, are one when a user is created.',
  ),
  perClient: optional(
    wholeNumber(1, maxPerClient),
    'The sign-ups from one client address within an hour, after which more are refused for an hour.',
  ),
  clientHeader: optional(
    headerName,
    'The header with the address of the person; by default that of throttle, or the address of the connection counts.',
  ),
  quiet: optional(quietBlock, 'Allows `Prefer: quiet`, with which every address gets the same response.'),
};

/** The block `signUp`. */
const signUpBlock = block(options, ({ perClient, clientHeader }): readonly Problem[] =>
  perClient === null && clientHeader !== null
    ? [{ path: 'clientHeader', message: 'has no effect without perClient; remove one of them' }]
    : [],
);

/** The decoded block. */
export type SignUpBlock = Values<typeof options>;

const countedForMs = 60 * 60_000;

/** The limits on sign-ups: the first one beyond `perClient` is blocked. Undefined if sign-ups are not counted. */
export const signUpLimits = ({ perClient }: SignUpBlock): AttemptLimits | undefined =>
  perClient === null
    ? undefined
    : { failures: perClient + 1, clientFailures: 0, windowMs: countedForMs, blockMs: countedForMs };

type OtherBlocks = {
  readonly email?: Pick<EmailBlock, 'productUrl'>;
  readonly verification: Pick<VerificationBlock, 'queue' | 'resendIntervalMs'>;
  readonly server: Pick<Server, 'publicUrl'>;
  readonly privacy: { readonly hideUnknownUsers: boolean };
  readonly properties?: {
    readonly allowSubset: boolean;
    readonly allowed: readonly { readonly unique: boolean }[];
  };
};

/**
 * What quiet sign-ups need of other blocks: without it mails would be lost, other responses would tell, or all be refused.
 */
const impossibleSignUp = (
  { quiet }: SignUpBlock,
  { email, verification, server, privacy, properties }: OtherBlocks,
): readonly Problem[] =>
  [
    !verification.queue && 'needs email.queue: true, so that no mail is lost',
    server.publicUrl === null && 'needs server.publicUrl, with which links start',
    (quiet?.url ?? email?.productUrl ?? null) === null &&
      'needs url, the page where people sign in; write it, or email.productUrl',
    // Everybody reaches GET /verify, to which the links lead.
    !privacy.hideUnknownUsers &&
      'needs privacy.hideUnknownUsers: true, because GET /verify tells anybody whether a user exists',
    // A notice is a mail, too, after which a user waits for the next one.
    (quiet?.interval ?? 0) < 2 * (verification.resendIntervalMs ?? 0) &&
      'needs an interval of at least twice email.resendInterval, or strangers who sign up keep users from other mails',
    properties?.allowSubset === false &&
      properties.allowed.some(({ unique }) => unique) &&
      'needs properties.allowSubset: true, because a quiet sign-up has no unique properties',
  ].flatMap((message) => (quiet !== null && message ? [{ path: 'quiet', message }] : []));

export const signUpSection = optionalBlock(
  signUpBlock,
  'Who may create a user for themselves.',
  identity,
  impossibleSignUp,
);

/** Why not every sign-up can be quiet. */
export const impossibleQuietness = (
  { quietSignUp }: { readonly quietSignUp: boolean },
  { signUp }: { readonly signUp?: SignUpBlock },
): readonly Problem[] =>
  quietSignUp && (signUp?.quiet ?? null) === null
    ? [{ path: 'quietSignUp', message: 'needs the block signUp.quiet' }]
    : [];
