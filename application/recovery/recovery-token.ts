import { createHash, createHmac, randomBytes, randomInt } from 'node:crypto';
import type { EmailKey } from '../../domain/email-address.ts';

/** Makes the tokens with which forgotten passwords are replaced. Only their digests are stored. */
export interface RecoveryTokens {
  /** Whether a token can be found by trying many. */
  readonly isGuessable: boolean;
  next(): string;
  /** The stored form of a token of this user, of the same length for all. */
  digest(key: EmailKey, token: string): string;
}

const tokenBytes = 32;

/** Tokens of 256 bits, for links. A plain digest suffices, because they cannot be guessed. */
export const linkTokens: RecoveryTokens = {
  isGuessable: false,
  next: () => randomBytes(tokenBytes).toString('base64url'),
  digest: (_, token) => createHash('sha256').update(token).digest('base64url'),
};

const codeDigits = 6;

/** Codes of six digits, which a person can type. A key is needed to find a code in its digest. */
export const codeTokens = (secret: string): RecoveryTokens => ({
  isGuessable: true,
  next: () => String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0'),
  // Unambiguous, because the host of an address contains no space.
  digest: (key, code) => createHmac('sha256', secret).update(`${key} ${code}`).digest('base64url'),
});
