import type { EmailKey } from '../../domain/email-address.ts';

/** What was supplied for a user, and the stored form against which it was checked. */
export interface VerifiedPassword {
  /** Undefined for nobody, who is asked about and never added. */
  readonly key: EmailKey | undefined;
  readonly stored: string;
  readonly supplied: string;
}

/** Remembers for a while what let callers in. Nothing that it keeps tells a password or a stored form. */
export abstract class PasswordCache {
  /** Whether exactly this was added not long ago: another user, stored form or password is not known. */
  abstract has(verified: VerifiedPassword): boolean;

  /** Remembers what was found right. */
  abstract add(verified: VerifiedPassword): void;

  /** Forgets everything. */
  abstract clear(): void;
}
