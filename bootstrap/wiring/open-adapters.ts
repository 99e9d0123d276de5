import { randomUUID } from 'node:crypto';
import { CheckOrSuccess, type Component } from '../../application/health.ts';
import type { AttemptCounter, AttemptLimits } from '../../application/ports/attempt-counter.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { Log } from '../../application/ports/log.ts';
import { DisabledMailer, type Mailer } from '../../application/ports/mailer.ts';
import type { PasswordHash } from '../../application/ports/password-hash.ts';
import type { TokenGenerator } from '../../application/ports/token-generator.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import type { Configuration } from '../configuration/index.ts';
import { type RecoveryBlock, tokenLimits } from '../configuration/recovery-block.ts';
import { hashMemoryLimitKiB } from './password-algorithms.ts';

/** The opened adapters. */
export interface Adapters {
  readonly store: StorePorts;
  readonly hash: PasswordHash;
  readonly mailer: Mailer;
  /** Null if wrong passwords are not counted. */
  readonly attempts: AttemptCounter | null;
  /** Counts the wrong tokens of recoveries, apart from wrong passwords; null without recoveries. */
  readonly tokenAttempts: AttemptCounter | null;
  readonly clock: Clock;
  readonly tokens: TokenGenerator;
  readonly log: Log;
}

/** Opens the attempt counter of a store, or one in the memory of this process if the store has none. */
export const openAttemptCounter = async (
  { attempts }: StorePorts,
  limits: AttemptLimits,
  log: Log,
): Promise<AttemptCounter> => {
  if (attempts !== undefined) return attempts(limits);
  log.warn({}, 'the database cannot count wrong passwords: each process counts in its memory until it stops');
  const { inMemoryAttempts } = await import('../../adapters/kit/rate-limited-attempts.ts');
  return inMemoryAttempts(limits);
};

const openTokenAttempts = async (store: StorePorts, recovery: RecoveryBlock, log: Log): Promise<AttemptCounter> => {
  const { PrefixedAttempts } = await import('../../application/passwords/prefixed-attempts.ts');
  return new PrefixedAttempts('recovery', await openAttemptCounter(store, tokenLimits(recovery), log));
};

type AttemptCheck = Pick<AttemptCounter, 'check'>;

/**
 * The health of the database: the line of the check of the users, and one about the attempt counter if there is one.
 */
export const checkDatabase = async (users: Promise<string>, attempts: AttemptCheck | null): Promise<string> => {
  const line = await users;
  return attempts === null ? line : `${line}; ${await attempts.check()}`;
};

/** The checks of the database: as a component of the health, and for the readiness of the service. */
export const databaseComponents = (
  { store: { users } }: Adapters,
  /** Null if wrong passwords are not limited. */
  throttle: AttemptCheck | null,
  /** When a call of the store last succeeded, by the clock of `performance.now()`. */
  lastSuccessMs: () => number,
): { readonly database: Component; readonly readiness: Component } => {
  const readiness = new CheckOrSuccess(() => users.check(), lastSuccessMs);
  return {
    database: { name: 'database', check: () => checkDatabase(users.check(), throttle) },
    readiness: { name: 'readiness', check: () => checkDatabase(readiness.run(), throttle) },
  };
};

/**
 * Opens the adapters that the configuration names. If one cannot be opened, closes the others and rejects. `readOnly`:
 * see AdapterContext.
 */
export const openAdapters = async (configuration: Configuration, log: Log, readOnly = false): Promise<Adapters> => {
  const { database, passwordHash, email, throttle, recovery, privacy, operationTimeoutMs } = configuration;
  const context = { log, operationTimeoutMs };
  const opening = [
    database.open({ ...context, hideUnknownUsers: privacy.hideUnknownUsers, readOnly }),
    passwordHash.open({ ...context, hashMemoryKiB: hashMemoryLimitKiB(configuration) }),
    email?.open(context) ?? new DisabledMailer(),
  ] as const;
  const [opened, , mailed] = await Promise.allSettled(opening);
  try {
    const [store, hash, mailer] = await Promise.all(opening);
    const attempts = throttle && (await openAttemptCounter(store, throttle.limits, log));
    const tokenAttempts = recovery && (await openTokenAttempts(store, recovery, log));
    const [clock, tokens] = [{ now: Date.now }, { next: randomUUID }];
    return { store, hash, mailer, attempts, tokenAttempts, clock, tokens, log };
  } catch (error) {
    if (opened.status === 'fulfilled') await opened.value.users.close().catch(() => undefined);
    if (mailed.status === 'fulfilled') await mailed.value.close().catch(() => undefined);
    throw error;
  }
};

/** Closes what `openAdapters` opened. Never rejects. */
export const closeAdapters = async ({ store, mailer, attempts, tokenAttempts }: Adapters): Promise<void> => {
  await Promise.allSettled([store.users.close(), mailer.close(), attempts?.close(), tokenAttempts?.close()]);
};
