import { timingSafeEqual } from 'node:crypto';

/** Compares two texts in a time that depends only on their lengths. */
export const sameText = (expected: string, given: string): boolean => {
  const left = Buffer.from(expected);
  const right = Buffer.from(given);
  if (left.length === right.length) return timingSafeEqual(left, right);
  timingSafeEqual(left, left);
  return false;
};
