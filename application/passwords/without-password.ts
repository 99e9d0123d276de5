/**
 * In the place of a password: the caller sent none, and needs none. Only the password header of the public port sets it,
 * for clients with the permission `without-password` (`only-permitted-clients-leave-passwords-out` in
 * .dependency-cruiser.cjs).
 */
export const withoutPassword: unique symbol = Symbol('without-password');

/** The password that a caller sent. */
export type Supplied = string | typeof withoutPassword | undefined;
