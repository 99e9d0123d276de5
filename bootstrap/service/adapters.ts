import { randomUUID } from 'node:crypto';
import type { AdapterContext } from '../../adapters/kit/definition.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import { CheckOrSuccess, type Component } from '../../application/health.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { Log } from '../../application/ports/log.ts';
import { DisabledMailer, type Mailer } from '../../application/ports/mailer.ts';
import type { PasswordHash } from '../../application/ports/password-hash.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { type Configuration, ConfigurationError } from '../configuration/index.ts';
import { hashMemoryLimitKiB } from '../configuration/password-algorithms.ts';
import { namingOf } from '../features/names-block.ts';
import { Closers } from './closers.ts';

/** The opened adapters. */
export interface Adapters {
  readonly store: StorePorts;
  readonly hash: PasswordHash;
  readonly mailer: Mailer;
  readonly clock: Clock;
  /** Returns a random UUID (RFC 9562, version 4) as the token of a verification. */
  readonly newToken: () => string;
  readonly log: Log;
}

/** A port that the option at `path` needs. Throws a ConfigurationError with `message` if the store lacks it. */
export const requiredPort = <Port>(port: Port | undefined, path: string, message: string): Port => {
  if (port === undefined) throw new ConfigurationError('the configuration', [{ path, message }]);
  return port;
};

/** The line of the check of the users, followed by those of `others`. Throws their Faults. */
export const checkDatabase = async (
  users: Promise<string>,
  others: readonly (() => Promise<string>)[],
): Promise<string> => {
  const lines = [await users];
  for (const check of others) lines.push(await check());
  // Several features may count in the same place.
  return [...new Set(lines)].join('; ');
};

/** The checks of the database: as a component of the health, and for the readiness of the service. */
export const databaseComponents = (
  { store: { users } }: Adapters,
  /** What features need of the database. */
  others: readonly (() => Promise<string>)[],
  /** When a call of the store last succeeded, by the clock of `performance.now()`. */
  lastSuccessMs: () => number,
): { readonly database: Component; readonly readiness: Component } => {
  const readiness = new CheckOrSuccess(() => users.check(), lastSuccessMs);
  return {
    database: { name: 'database', check: () => checkDatabase(users.check(), others) },
    readiness: { name: 'readiness', check: () => checkDatabase(readiness.run(), others) },
  };
};

/**
 * The ports of a store as own members, which copies keep: a store of another package may be an instance of a class, with
 * members of its prototype.
 */
const portsOf = (store: StorePorts): StorePorts => {
  const { users, names, listing, search, events } = store;
  return {
    users,
    ...(names && { names }),
    ...(listing && { listing }),
    ...(search && { search }),
    ...(events && { events }),
    ...(store.attempts && { attempts: store.attempts.bind(store) }),
  };
};

interface AdapterOptions extends Pick<AdapterContext, 'readOnly'> {
  readonly clock?: Clock;
  /** A store that is open already. */
  readonly store?: StorePorts;
}

/** Opens the adapters that the configuration names. If one cannot be opened, closes the others and rejects. */
export const openAdapters = async (
  configuration: Configuration,
  log: Log,
  { readOnly = false, clock = systemClock, store: open }: AdapterOptions = {},
): Promise<Adapters> => {
  const { database, passwordHash, email, privacy, operationTimeoutMs } = configuration;
  const context = { log, operationTimeoutMs, clock };
  const opening = [
    open ??
      database.open({
        ...context,
        hideUnknownUsers: privacy.hideUnknownUsers,
        keepsNames: namingOf(configuration) !== undefined,
        readOnly,
      }),
    passwordHash.open({ ...context, hashMemoryKiB: hashMemoryLimitKiB(configuration) }),
    email?.open(context) ?? new DisabledMailer(),
  ] as const;
  const [opened, , mailed] = await Promise.allSettled(opening);
  try {
    const [store, hash, mailer] = await Promise.all(opening);
    return { store: portsOf(store), hash, mailer, clock, newToken: randomUUID, log };
  } catch (error) {
    const closers = new Closers(log);
    if (open === undefined && opened.status === 'fulfilled') closers.add('database', () => opened.value.users.close());
    if (mailed.status === 'fulfilled') closers.add('email', () => mailed.value.close());
    await closers.close();
    throw error;
  }
};

/** Closes what `openAdapters` opened. Never rejects. */
export const closeAdapters = async ({ store, mailer }: Adapters): Promise<void> => {
  await Promise.allSettled([store.users.close(), mailer.close()]);
};
