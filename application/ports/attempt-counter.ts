import { type Either, right } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';

/** Limits of failed attempts. */
export interface AttemptLimits {
  /** The failures of one user that block it. */
  readonly failures: number;
  /** The failures from one client address that block it; 0 counts none. */
  readonly clientFailures: number;
  /** How long failures count, from the first one on. */
  readonly windowMs: number;
  /** How long a block lasts from the failure that reaches the limit. */
  readonly blockMs: number;
  /** Both times for a client address, where they differ from those for a user. */
  readonly ofClients?: Pick<AttemptLimits, 'windowMs' | 'blockMs'>;
}

/** An attempt on a user, who need not exist, from a client address if addresses are counted. */
export interface Attempt {
  /** The key of the user, with a prefix for attempts of another kind than passwords. */
  readonly user: string;
  readonly client: string | undefined;
}

export interface AttemptStatus {
  /** The rest of the block of the user or of the client address; 0 if neither is blocked. */
  readonly blockedForMs: number;
  /** The failures that are counted for the user. */
  readonly failures: number;
}

/**
 * Counts wrong passwords for every instance of the service on the same database. It stores neither users nor addresses
 * in plain text, but digests such as SHA-256. A power failure may lose counts; nothing else changes them. Every method throws a Fault
 * `store_unavailable` or `store_rejected`, as UserStore does.
 */
export abstract class AttemptCounter {
  /** The status of an attempt, including every failure that was recorded before. */
  abstract status(attempt: Attempt): Promise<AttemptStatus>;

  /**
   * Counts a failure for the user and for the client address. Whichever reaches its limit is blocked from now on. A
   * failure during a block extends neither the block nor the window; a block may last longer than the window.
   */
  abstract recordFailure(attempt: Attempt): Promise<void>;

  /** Resets the count of a user, and ends a block. */
  abstract reset(user: string): Promise<void>;

  /** Resolves with a line for operators when failures can be counted; throws a Fault otherwise. */
  abstract check(): Promise<string>;

  /** Closes what belongs to the counter alone. The connection that it shares with a store stays open. */
  abstract close(): Promise<void>;
}

/**
 * Opens the counter of a store. It resolves also while the database can't be reached, and rejects only for a
 * configuration that can never work.
 */
export type OpenAttemptCounter = (limits: AttemptLimits) => Promise<AttemptCounter>;

/**
 * The counters of wrong passwords, tokens of a recovery, and codes that verify an address; undefined without one.
 * @internal
 */
export type AttemptCounters = Readonly<Record<'passwords' | 'tokens' | 'codes', AttemptCounter | undefined>>;

/**
 * Limits how many passwords or tokens can be tried.
 * @internal
 */
export interface AttemptThrottle {
  /**
   * Runs a check, which returns whether the password or token is right. Left: it was not run, because too many were wrong.
   * Throws Faults as LoginThrottle does.
   */
  run(attempt: Attempt, check: () => Promise<boolean>): Promise<Either<Failure<'too_many_attempts'>, boolean>>;
}

/**
 * Where attempts are not limited.
 * @internal
 */
export const unlimited: AttemptThrottle = { run: (_, check) => check().then(right) };
