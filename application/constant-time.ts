import { timingSafeEqual } from 'node:crypto';

/** Whether two texts are equal, in a time that depends on their length only. */
export const sameText = (expected: string, given: string): boolean => {
  const left = Buffer.from(expected);
  const right = Buffer.from(given);
  if (left.length === right.length) return timingSafeEqual(left, right);
  timingSafeEqual(left, left);
  return false;
};
