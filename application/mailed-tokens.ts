import { createHash, createHmac, randomBytes, randomInt } from 'node:crypto';
import type { UserKey } from '../domain/user-name.ts';
import type { Clock } from './ports/clock.ts';
import { type ExpiringSecret, isValidAt } from './ports/expiring-secret.ts';

/** Makes one-time tokens that are mailed. Only their digests are stored. */
export interface MailedTokens {
  /** Whether a token can be found by trying many. */
  readonly isGuessable: boolean;
  next(): string;
  /** What is stored of a token of the user with this address, of the same length for all. A name stands for an unknown user. */
  digest(key: UserKey, token: string): string;
  /** What may be stored of a token that is given: with two keys, its digest with each. */
  digests(key: UserKey, token: string): readonly string[];
}

const tokenBytes = 32;

/** A plain digest, which suffices because tokens of links cannot be guessed. */
export const digestOfLinkToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** Tokens of 256 bits, for links. */
export const linkTokens: MailedTokens = {
  isGuessable: false,
  next: () => randomBytes(tokenBytes).toString('base64url'),
  digest: (_, token) => digestOfLinkToken(token),
  digests: (_, token) => [digestOfLinkToken(token)],
};

const codeDigits = 6;

/** A key of the digests of codes. */
export interface CodeKey extends ExpiringSecret {
  readonly secret: string;
}

// Unambiguous, because the host of an address contains no space.
const digestOfCode = ({ secret }: CodeKey, key: UserKey, code: string): string =>
  createHmac('sha256', secret).update(`${key} ${code}`).digest('base64url');

/**
 * Codes of six digits, which a person can type. A key is needed to find a code in its digest. Codes are made with the first
 * key, and accepted with the others, too, until these expire.
 */
export const codeTokens = (
  [first, ...others]: readonly [CodeKey, ...CodeKey[]],
  clock: Pick<Clock, 'now'>,
): MailedTokens => ({
  isGuessable: true,
  next: () => String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0'),
  digest: (key, code) => digestOfCode(first, key, code),
  digests: (key, code) =>
    [first, ...others.filter((other) => isValidAt(other, clock.now()))].map((one) => digestOfCode(one, key, code)),
});
