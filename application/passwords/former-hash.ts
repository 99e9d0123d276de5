import { createHash } from 'node:crypto';
import type { User } from '../../domain/user.ts';

/**
 * The digest of a stored hash that `current` replaces. It is bound to `current`, so that it ends with a new password. Only
 * for hashes with a salt: the digest of one without would let its password be guessed as fast as before.
 */
export const digestOfFormer = (former: string, current: string): string =>
  createHash('sha256')
    .update(JSON.stringify([former, current]))
    .digest('base64url');

/** Whether a text is the stored hash that the present one of the user replaced. */
export const isKnownFormer = (given: string, { password, email: { formerHashDigest } }: User): boolean =>
  formerHashDigest !== undefined && formerHashDigest === digestOfFormer(given, password);
