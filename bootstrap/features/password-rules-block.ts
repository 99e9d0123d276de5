import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isLeft } from 'fp-ts/lib/Either.js';
import { identity } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import type { StatedRule } from '../../adapters/http/pages/page-texts.ts';
import { block, optional, type Problem, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { choice, flag, text, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import { fileErrorReason } from '../../adapters/kit/small-file.ts';
import { optionCodec, validate } from '../configuration/option-errors.ts';
import type { PasswordHashBlock } from '../configuration/password-hash-block.ts';
import { optionalBlock } from '../configuration/section.ts';

/** What happens when a user logs in with a password of the list. */
const checkActions = ['ignore', 'event'] as const;

/** NIST SP 800-63B-4, section 3.1.1.2: at least 8 characters, and a maximum of at least 64. */
const minMinLength = 8;
const minMaxLength = 64;
/** Long enough for every passphrase; hashing and rating a longer password costs more. */
const defaultMaxLength = 256;
const maxMaxLength = 1024;

/** What bcrypt reads of a password. A character takes at least one byte. */
const maxBcryptBytes = 72;

/** Why a file can't be read; undefined if it can. */
const unreadable = (path: string): string | undefined => {
  try {
    const file = statSync(path);
    if (!file.isFile()) return 'expected a file; this is a directory, or a device';
    if (file.size === 0) return 'the file is empty';
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return fileErrorReason(error);
  }
};

/** The path of a file that can be read; it is read after the configuration, because it may be large. */
const readablePath = optionCodec<string>('the path of a file', t.string.is, (value, context) => {
  const path = validate(text, value, context);
  if (isLeft(path)) return t.failure(value, context, 'expected the path of a file');
  const reason = unreadable(path.right);
  return reason === undefined ? t.success(resolve(path.right)) : t.failure(value, context, reason);
});

const contradictions = ({ minLength, maxLength, blocklist, onCheck }: Written): readonly Problem[] => [
  ...(maxLength !== null && maxLength < minLength ? [{ path: 'maxLength', message: 'is less than minLength' }] : []),
  ...(onCheck === 'event' && blocklist === null
    ? [{ path: 'onCheck', message: 'needs passwordRules.blocklist, the list of known passwords' }]
    : []),
];

const options = {
  minLength: withDefault(
    wholeNumber(minMinLength, minMaxLength),
    minMinLength,
    'The fewest characters of a new password.',
  ),
  maxLength: optional(
    wholeNumber(minMaxLength, maxMaxLength),
    `The most characters of a new password; ${defaultMaxLength} by default, ${maxBcryptBytes} with bcrypt, which reads ${maxBcryptBytes} bytes of UTF-8.`,
  ),
  minScore: optional(
    wholeNumber(0, 4),
    'The lowest accepted score of zxcvbn: 1 (at least a thousand guesses), 2 (10^6), 3 (10^8) or 4 (10^10).',
  ),
  notAddress: withDefault(
    flag,
    false,
    'Whether a new password must not contain the address, or the part before its @.',
  ),
  blocklist: optional(readablePath, 'The file of known passwords, read at the start and on SIGHUP.'),
  onCheck: withDefault(
    choice(checkActions),
    'ignore',
    'What happens at a sign-in with a listed password: nothing, or the event password.listed.',
  ),
};

type Written = Values<typeof options>;

/** The block `passwordRules`. */
const passwordRulesBlock = block(options, contradictions);

/** The rules, with the default of the maximum length. */
export const passwordRulesOf = ({ maxLength, ...others }: Written, { algorithm }: PasswordHashBlock) => ({
  ...others,
  maxLength: maxLength ?? (algorithm === 'bcrypt' ? maxBcryptBytes : defaultMaxLength),
});

/** The decoded block. */
export type PasswordRulesBlock = ReturnType<typeof passwordRulesOf>;

/** The rules that people who choose a password are told, without the default maximum: no typed password is as long. */
export const statedRules = ({
  minLength,
  maxLength,
  notAddress,
  blocklist,
  minScore,
}: PasswordRulesBlock): readonly StatedRule[] => [
  { rule: 'tooShort', limit: minLength },
  ...(maxLength < defaultMaxLength ? [{ rule: 'tooLong', limit: maxLength } as const] : []),
  ...(notAddress ? [{ rule: 'containsAddress' } as const] : []),
  ...(blocklist === null ? [] : [{ rule: 'known' } as const]),
  ...((minScore ?? 0) === 0 ? [] : [{ rule: 'guessable' } as const]),
];

type OtherBlocks = {
  readonly passwordHash: PasswordHashBlock;
  readonly events?: object;
};

/** Rules that other blocks leave without effect. */
const idlePasswordRules = (
  { maxLength, onCheck }: Written,
  { passwordHash: { algorithm, serverSideHash }, events }: OtherBlocks,
): readonly Problem[] =>
  [
    {
      applies: !serverSideHash,
      path: '',
      message: 'needs passwordHash.serverSideHash: true; without it clients hash passwords, and the service sees none',
    },
    {
      applies: algorithm === 'bcrypt' && maxLength !== null && maxLength > maxBcryptBytes,
      path: 'maxLength',
      message: `must be at most ${maxBcryptBytes} with passwordHash.algorithm: bcrypt, which reads ${maxBcryptBytes} bytes`,
    },
    {
      applies: onCheck === 'event' && events === undefined,
      path: 'onCheck',
      message: 'needs the block events, with the webhooks that receive the event',
    },
  ].filter(({ applies }) => applies);

/** Its values are decoded further with those of `passwordHash`. */
export const passwordRulesSection = optionalBlock(
  passwordRulesBlock,
  'The rules of new passwords; none without it.',
  identity,
  idlePasswordRules,
);
