import { createHash, createHmac, randomBytes, randomInt } from 'node:crypto';
import type { UserKey } from '../domain/user-name.ts';

/** Makes one-time tokens that are mailed. Only their digests are stored. */
export interface MailedTokens {
  /** Whether a token can be found by trying many. */
  readonly isGuessable: boolean;
  next(): string;
  /** What is stored of a token of the user with this address, of the same length for all. A name stands for an unknown user. */
  digest(key: UserKey, token: string): string;
}

const tokenBytes = 32;

/** A plain digest, which suffices because tokens of links cannot be guessed. */
export const digestOfLinkToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** Tokens of 256 bits, for links. */
export const linkTokens: MailedTokens = {
  isGuessable: false,
  next: () => randomBytes(tokenBytes).toString('base64url'),
  digest: (_, token) => digestOfLinkToken(token),
};

const codeDigits = 6;

/** Codes of six digits, which a person can type. A key is needed to find a code in its digest. */
export const codeTokens = (secret: string): MailedTokens => ({
  isGuessable: true,
  next: () => String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0'),
  // Unambiguous, because the host of an address contains no space.
  digest: (key, code) => createHmac('sha256', secret).update(`${key} ${code}`).digest('base64url'),
});
