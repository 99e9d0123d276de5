import type { EmailKey } from '../../domain/email-address.ts';

/** How many wrong passwords are too many. Times are in milliseconds. */
export interface AttemptLimits {
  /** For one user. */
  readonly failures: number;
  /** For one client address; 0 counts none. */
  readonly clientFailures: number;
  /** How long a failure counts: from the first of a row. */
  readonly window: number;
  /** For how long nothing more is tried once the limit is reached. */
  readonly block: number;
}

/** Whom an attempt is aimed at, whether there is such a user or not, and from which address it comes, if that counts. */
export interface Attempt {
  readonly user: EmailKey;
  readonly client: string | undefined;
}

/** What is known of the user and the address of an attempt. */
export interface AttemptStatus {
  /** For how many more milliseconds nothing may be tried; 0 when it may be now. */
  readonly blockedFor: number;
  /** How many failures are counted for the user. */
  readonly counted: number;
}

/**
 * Counts wrong passwords for every instance of the service that uses the same database. Neither user nor address is kept
 * in the clear. A count may be lost with the power supply, and never goes up by itself.
 * Every method throws a Fault: `store_unavailable` or `store_rejected`, as those of a UserStore do.
 */
export abstract class AttemptCounter {
  /** Where an attempt stands, never older than the last failure that was counted. */
  abstract statusOf(attempt: Attempt): Promise<AttemptStatus>;

  /** Counts a failure for the user and for the address. Whichever reaches its limit with it is blocked from now on. */
  abstract failed(attempt: Attempt): Promise<void>;

  /** Forgets what is counted for a user. */
  abstract forget(user: EmailKey): Promise<void>;

  /** Resolves with a line for operators when failures can be counted; throws a Fault otherwise. */
  abstract check(): Promise<string>;

  /** Closes what belongs to the counter alone. The connection that it shares with a store stays open. */
  abstract close(): Promise<void>;
}

/**
 * Opens the counter of a store, shared by every instance that uses the same database. It resolves also while the
 * database can't be reached, and rejects only for a configuration that can never work.
 */
export type OpenAttemptCounter = (limits: AttemptLimits) => Promise<AttemptCounter>;
