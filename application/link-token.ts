import { createHash, randomBytes } from 'node:crypto';

const tokenBytes = 32;

/** A new token of 256 bits for a link. */
export const newLinkToken = (): string => randomBytes(tokenBytes).toString('base64url');

/** The stored form of such a token. A plain digest suffices, because the token cannot be guessed. */
export const digestOfLinkToken = (token: string): string => createHash('sha256').update(token).digest('base64url');
