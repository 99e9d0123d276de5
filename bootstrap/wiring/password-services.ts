import type { InMemoryPasswordCache } from '../../adapters/kit/in-memory-password-cache.ts';
import { userLimits } from '../../adapters/kit/user-json.ts';
import { type MetricFamily, metricFamily } from '../../adapters/observability/metric-families.ts';
import type { ListedPasswords } from '../../application/passwords/listed-passwords.ts';
import type { LoginThrottle } from '../../application/passwords/login-throttle.ts';
import type { CheckHelpers } from '../../application/passwords/password-check.ts';
import type { PasswordRules } from '../../application/passwords/password-rules.ts';
import type { Rehasher } from '../../application/passwords/rehasher.ts';
import type { Log } from '../../application/ports/log.ts';
import type { KnownPasswords } from '../../application/ports/password-quality.ts';
import type { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import type { Configuration } from '../configuration/index.ts';
import type { Adapters } from './open-adapters.ts';
import { openPasswordRules } from './open-password-rules.ts';

/** The optional parts of a password check, each loaded only if the configuration switches it on. */
export interface PasswordServices {
  /** The helpers of password checks. Rehashed passwords are stored through `updates`. */
  readonly checkHelpers: (updates: OptimisticUpdate) => CheckHelpers;
  /** Null if wrong passwords are not limited. */
  readonly throttle: LoginThrottle | null;
  /** The rules of new passwords; null without any. */
  readonly rules: PasswordRules | null;
  /** Reads the list of known passwords again, if there is one. Never rejects. */
  reload(): Promise<void>;
  /** Metrics of the cache. */
  metrics(): readonly MetricFamily[];
  /** Clears the cache, and waits for the writes that are running. */
  stop(): Promise<void>;
}

/** Loads the rehasher and returns its factory; null without `passwordHash.rehash`. */
const loadRehasher = async (
  { passwordHash, properties }: Configuration,
  { store: { users }, hash }: Adapters,
  log: Log,
): Promise<((updates: OptimisticUpdate) => Rehasher) | null> => {
  if (!passwordHash.rehash) return null;
  const { Rehasher } = await import('../../application/passwords/rehasher.ts');
  return (updates) => new Rehasher(users, updates, hash, userLimits(properties), log);
};

const openCache = async ({ passwordHash: { cache } }: Configuration): Promise<InMemoryPasswordCache | null> => {
  if (cache === null) return null;
  const { InMemoryPasswordCache } = await import('../../adapters/kit/in-memory-password-cache.ts');
  return new InMemoryPasswordCache(cache);
};

const openThrottle = async (
  { throttle, operationTimeoutMs }: Configuration,
  { attempts }: Adapters,
): Promise<LoginThrottle | null> => {
  if (throttle === null || attempts === null) return null;
  const { LoginThrottle } = await import('../../application/passwords/login-throttle.ts');
  return new LoginThrottle(attempts, throttle.limits, operationTimeoutMs);
};

const cacheMetrics = ({ hits, misses }: InMemoryPasswordCache): readonly MetricFamily[] => [
  metricFamily('counter', 'latchkey_password_cache_hits_total', 'Password checks skipped because of the cache', hits),
  metricFamily('counter', 'latchkey_password_cache_misses_total', 'Passwords not found in the cache', misses),
];

/** Returns the factory of the events about listed passwords; null where none are configured. */
const loadListed = async (
  { passwordRules, events }: Configuration,
  known: KnownPasswords | null,
  { clock }: Adapters,
  log: Log,
): Promise<((updates: OptimisticUpdate) => ListedPasswords) | null> => {
  if (passwordRules?.onCheck !== 'event' || known === null || events === null) return null;
  const { ListedPasswords } = await import('../../application/passwords/listed-passwords.ts');
  return (updates) => new ListedPasswords(known, updates, clock, log);
};

/** Opens what the blocks `passwordHash`, `passwordRules` and `throttle` switch on. */
export const openPasswordServices = async (
  configuration: Configuration,
  adapters: Adapters,
  log: Log,
): Promise<PasswordServices> => {
  const { rules, known, reload, close } = await openPasswordRules(configuration, log);
  const createListed = await loadListed(configuration, known, adapters, log);
  const createRehasher = await loadRehasher(configuration, adapters, log);
  const cache = await openCache(configuration);
  let rehasher: Rehasher | null = null;
  let listed: ListedPasswords | null = null;
  return {
    checkHelpers: (updates) => {
      rehasher = createRehasher === null ? null : createRehasher(updates);
      listed = createListed === null ? null : createListed(updates);
      return { rehasher, cache, listed };
    },
    rules,
    reload,
    throttle: await openThrottle(configuration, adapters),
    metrics: () => (cache === null ? [] : cacheMetrics(cache)),
    stop: async () => {
      cache?.clear();
      await rehasher?.stop();
      await listed?.stop();
      await close();
    },
  };
};
