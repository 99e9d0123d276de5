import { timingSafeEqual } from 'node:crypto';

/** Compares two texts in a time that depends only on their lengths. */
export const sameText = (expected: string, given: string): boolean => {
  const left = Buffer.from(expected);
  const right = Buffer.from(given);
  if (left.length === right.length) return timingSafeEqual(left, right);
  timingSafeEqual(left, left);
  return false;
};

/** As long as a digest, but never equal to one. */
const decoy = '-'.repeat(43);

/**
 * Whether a caller has the outstanding token, given as it is stored. Always compares, so that the duration does not reveal
 * whether there is a user or a token.
 */
export const isOutstanding = (stored: string | null | undefined, given: string): boolean => {
  const isSame = sameText(stored ?? decoy, given);
  return isSame && stored !== undefined && stored !== null;
};
