import { createHash, createHmac, randomBytes, randomInt } from 'node:crypto';
import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import type { Failure } from '../domain/failure.ts';
import type { UserKey } from '../domain/user-name.ts';
import { isOutstanding } from './constant-time.ts';
import type { Attempt, AttemptThrottle } from './ports/attempt-counter.ts';
import type { Clock } from './ports/clock.ts';
import { type ExpiringSecret, isValidAt } from './ports/expiring-secret.ts';

/** Makes tokens that are mailed. Only their digests are stored, unless the tokens are `plainTokens`. */
export interface MailedTokens {
  /** Whether a token can be found by trying many. */
  readonly isGuessable: boolean;
  next(): string;
  /** What is stored of a token, always of the same length. `key`: that of the address; of unknown users, the given one. */
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

/** The tokens that `next` returns, which must not be guessable, stored as they are. */
export const plainTokens = (next: () => string): MailedTokens => ({
  isGuessable: false,
  next,
  digest: (_, token) => token,
  digests: (_, token) => [token],
});

const codeDigits = 6;

/** A key of the digests of codes. */
export interface CodeKey extends ExpiringSecret {
  readonly secret: string;
}

// Unambiguous, because the host of an address contains no space, and only a local part in quotation marks does.
const digestOfCode = ({ secret }: CodeKey, key: UserKey, code: string, purpose: string): string =>
  createHmac('sha256', secret).update(`${purpose}${key} ${code}`).digest('base64url');

/**
 * Codes of six digits, which a person can type. Without the key, no code can be found from its digest. New codes are
 * made with the first key; the others are accepted until they expire. `purpose` keeps a code of one kind from being
 * accepted as one of another kind; it is empty for a recovery.
 */
export const codeTokens = (
  [first, ...others]: readonly [CodeKey, ...CodeKey[]],
  clock: Pick<Clock, 'now'>,
  purpose: '' | 'verification ' = '',
): MailedTokens => ({
  isGuessable: true,
  next: () => String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0'),
  digest: (key, code) => digestOfCode(first, key, code, purpose),
  digests: (key, code) =>
    [first, ...others.filter((other) => isValidAt(other, clock.now()))].map((one) =>
      digestOfCode(one, key, code, purpose),
    ),
});

/** Decides whether a token is that of the user with a key. `outstanding` is the stored digest of the outstanding token. */
export type TokenCheck = (
  user: UserKey,
  outstanding: string | null | undefined,
) => Promise<Either<Failure<'too_many_attempts'>, boolean>>;

/**
 * The check of one request, which counts a wrong token. A token that was accepted is not counted again when the update
 * reads the user another time.
 * @internal
 */
export const tokenCheck = (
  tokens: MailedTokens,
  throttle: AttemptThrottle,
  attempt: Attempt,
  token: string,
): TokenCheck => {
  let isAccepted = false;
  return async (user, outstanding) => {
    const isRight = tokens
      .digests(user, token)
      .map((given) => isOutstanding(outstanding, given))
      .includes(true);
    // A token that cannot be guessed is not blocked, because otherwise anyone could keep its holder from using it.
    const isCounted = !isAccepted && (tokens.isGuessable || !isRight);
    const checked = isCounted ? await throttle.run(attempt, async () => isRight) : right(isRight);
    if (isLeft(checked)) return checked;
    if (isRight) isAccepted = true;
    return right(isRight);
  };
};
