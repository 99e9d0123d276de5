import { chain, type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { block, optional, type Problem, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { type Codec, flag, list, longDuration, text, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import type { AttemptLimits } from '../../application/ports/attempt-counter.ts';
import { listedDomain } from '../../application/sign-up/sign-up-rules.ts';
import { textFile } from '../configuration/files.ts';
import { webPage } from '../configuration/product-options.ts';
import { headerName } from './throttle-block.ts';

const maxPerClient = 1_000_000;

const domainName = 'a domain such as example.com';

const domain: Codec<string> = new t.Type<string, unknown, unknown>(
  domainName,
  t.string.is,
  (value, context) => {
    const listed = text.is(value) ? listedDomain(value) : undefined;
    return listed === undefined ? t.failure(value, context, `expected ${domainName}`) : t.success(listed);
  },
  t.identity,
);

/** The domains of a file, one on each line; `#` starts a comment. Left: the first line that is none. */
const domainsIn = (content: string): Either<string, readonly string[]> => {
  const domains: string[] = [];
  for (const [index, line] of content.split('\n').entries()) {
    const written = line.replace(/#.*/, '').trim();
    const listed = listedDomain(written);
    if (listed !== undefined) domains.push(listed);
    else if (written !== '') return left(`line ${index + 1} of the file is not ${domainName}`);
  }
  return domains.length === 0 ? left('the file names no domain') : right(domains);
};

const domainsFile: Codec<readonly string[], string> = new t.Type<readonly string[], unknown, unknown>(
  'the path of a file with a domain on each line',
  t.readonlyArray(t.string).is,
  (value, context) => {
    const content = textFile.validate(value, context);
    if (isLeft(content)) return content;
    const domains = chain(domainsIn)(right(content.right));
    return isLeft(domains) ? t.failure(value, context, domains.left) : t.success(domains.right);
  },
  t.identity,
);

const options = {
  allowedDomains: withDefault(list(domain), [], 'The only domains of new addresses, with their subdomains.'),
  allowedDomainsFile: optional(
    domainsFile,
    'More of them: a file with one on each line, read at the start and on SIGHUP.',
  ),
  blockedDomains: withDefault(list(domain), [], 'The domains of no new address, with their subdomains.'),
  blockedDomainsFile: optional(domainsFile, 'More of them, in the same form.'),
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
};

/** The block `signUp.quiet`. */
export const quietBlock = block({
  url: optional(
    webPage,
    'The page where people sign in or choose a new password, to which the notice leads; by default email.productUrl.',
  ),
  interval: withDefault(longDuration, '15m', 'The minimum time between a mail to a user and the next notice.'),
});

const allOptions = {
  ...options,
  quiet: optional(quietBlock, 'Allows `Prefer: quiet`, with which every address gets the same response.'),
};

/** The block `signUp`. */
export const signUpBlock = block(allOptions, ({ perClient, clientHeader }): readonly Problem[] =>
  perClient === null && clientHeader !== null
    ? [{ path: 'clientHeader', message: 'has no effect without perClient; remove one of them' }]
    : [],
);

/** The decoded block, with the domains of files. */
export const signUpOf = (values: Values<typeof allOptions>) => {
  const { allowedDomains, allowedDomainsFile, blockedDomains, blockedDomainsFile, ...others } = values;
  const allowed = [...allowedDomains, ...(allowedDomainsFile ?? [])];
  return {
    ...others,
    allowedDomains: allowed.length === 0 ? null : new Set(allowed),
    blockedDomains: new Set([...blockedDomains, ...(blockedDomainsFile ?? [])]),
  };
};

export type SignUpBlock = ReturnType<typeof signUpOf>;

const countedForMs = 60 * 60_000;

/** The limits on sign-ups, of which the first one that is too many is blocked; null if they are not counted. */
export const signUpLimits = ({ perClient }: SignUpBlock): AttemptLimits | null =>
  perClient === null
    ? null
    : { failures: perClient + 1, clientFailures: 0, windowMs: countedForMs, blockMs: countedForMs };

type OtherBlocks = {
  readonly email: { readonly productUrl: string | null } | null;
  readonly verification: { readonly queue: boolean; readonly resendIntervalMs: number | null };
  readonly server: { readonly publicUrl: string | null };
  readonly privacy: { readonly hideUnknownUsers: boolean };
};

/** What quiet sign-ups need of other blocks: without it the mails would be lost, or other responses would tell. */
export const impossibleSignUp = (
  { quiet }: SignUpBlock,
  { email, verification, server, privacy }: OtherBlocks,
): readonly Problem[] =>
  [
    { applies: !verification.queue, message: 'needs email.queue: true, so that no mail is lost' },
    { applies: server.publicUrl === null, message: 'needs server.publicUrl, with which links start' },
    {
      applies: (quiet?.url ?? email?.productUrl ?? null) === null,
      message: 'needs url, the page where people sign in; write it, or email.productUrl',
    },
    {
      // Everybody reaches GET /verify, to which the links lead.
      applies: !privacy.hideUnknownUsers,
      message: 'needs privacy.hideUnknownUsers: true, because GET /verify tells anybody whether a user exists',
    },
    {
      // A notice is a mail, too, after which a user waits for the next one.
      applies: (quiet?.interval ?? 0) < 2 * (verification.resendIntervalMs ?? 0),
      path: 'quiet.interval',
      message: 'expected at least twice email.resendInterval, or strangers who sign up keep users from other mails',
    },
  ].flatMap(({ applies, message, path = 'quiet' }) => (quiet !== null && applies ? [{ path, message }] : []));

type QuietBlocks = {
  readonly signUp: SignUpBlock | null;
  readonly properties: {
    readonly allowSubset: boolean;
    readonly allowed: readonly { readonly unique: boolean }[];
  } | null;
};

/** Why not every sign-up can be quiet. */
export const impossibleQuietness = (
  { quietSignUp }: { readonly quietSignUp: boolean },
  { signUp, properties }: QuietBlocks,
): readonly Problem[] =>
  [
    { applies: (signUp?.quiet ?? null) === null, message: 'needs the block signUp.quiet' },
    {
      applies: properties !== null && !properties.allowSubset && properties.allowed.some(({ unique }) => unique),
      message: 'needs properties.allowSubset: true, because a quiet sign-up has no unique properties',
    },
  ].flatMap(({ applies, message }) => (quietSignUp && applies ? [{ path: 'quietSignUp', message }] : []));
