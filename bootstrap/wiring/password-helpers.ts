import type { InMemoryPasswordCache } from '../../adapters/in-memory-password-cache.ts';
import { userLimits } from '../../adapters/kit/user-json.ts';
import { type MetricFamily, metricFamily } from '../../adapters/observability/metric-families.ts';
import type { CheckHelpers } from '../../application/passwords/password-check.ts';
import type { Rehasher } from '../../application/passwords/rehasher.ts';
import type { Log } from '../../application/ports/log.ts';
import type { DomainEvents } from '../../application/users/domain-events.ts';
import { OptimisticUpdate } from '../../application/users/optimistic-update.ts';
import type { Configuration } from '../configuration/index.ts';
import type { Adapters } from '../container.ts';

/** The helpers of password checks, until the service stops. */
export interface PasswordHelpers extends CheckHelpers {
  /** What they measured since the start. */
  readings(): readonly MetricFamily[];
  /** Ends what they do, and forgets what they know. */
  stop(): Promise<void>;
}

const rehasherOf = async (
  { passwordHash, properties }: Configuration,
  { store, hash, clock }: Adapters,
  events: DomainEvents | null,
  log: Log,
): Promise<Rehasher | null> => {
  if (!passwordHash.rehash) return null;
  const { Rehasher } = await import('../../application/passwords/rehasher.ts');
  return new Rehasher(store.users, new OptimisticUpdate(store.users, events), hash, userLimits(properties), clock, log);
};

const cacheOf = async ({ passwordHash: { cache } }: Configuration): Promise<InMemoryPasswordCache | null> => {
  if (cache === null) return null;
  const { InMemoryPasswordCache } = await import('../../adapters/in-memory-password-cache.ts');
  return new InMemoryPasswordCache(cache);
};

const readingsOf = ({ hits, misses }: InMemoryPasswordCache): readonly MetricFamily[] => [
  metricFamily('counter', 'latchkey_password_cache_hits_total', 'Passwords that the cache knew as verified', hits),
  metricFamily('counter', 'latchkey_password_cache_misses_total', 'Passwords that the cache did not know', misses),
];

/** Loads what the block `passwordHash` asks for beside the checks, and nothing else. */
export const passwordHelpersOf = async (
  configuration: Configuration,
  adapters: Adapters,
  events: DomainEvents | null,
  log: Log,
): Promise<PasswordHelpers> => {
  const rehasher = await rehasherOf(configuration, adapters, events, log);
  const cache = await cacheOf(configuration);
  return {
    rehasher,
    cache,
    readings: () => (cache === null ? [] : readingsOf(cache)),
    stop: async () => {
      cache?.clear();
      await rehasher?.stop();
    },
  };
};
