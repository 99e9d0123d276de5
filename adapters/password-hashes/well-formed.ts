/**
 * Throws a RangeError for a password with an unpaired surrogate: UTF-8 has no bytes for it, so that all such passwords
 * would hash alike. The edge of the service refuses them before.
 */
export const requireWellFormed = (password: string): void => {
  if (!password.isWellFormed()) throw new RangeError('a password with an unpaired surrogate can not be hashed');
};
