import type { EmailKey } from '../../domain/email-address.ts';

/** A supplied password and the stored hash with which it was compared. */
export interface VerifiedPassword {
  /** Undefined for an unknown user, which is looked up but never added. */
  readonly key: EmailKey | undefined;
  readonly stored: string;
  readonly supplied: string;
}

/** Caches verified passwords for a limited time. Its content reveals neither passwords nor stored hashes. */
export abstract class PasswordCache {
  /** Whether exactly this combination of user, stored hash and password was added and has not expired. */
  abstract has(verified: VerifiedPassword): boolean;

  abstract add(verified: VerifiedPassword): void;

  /** Removes all entries. */
  abstract clear(): void;
}
