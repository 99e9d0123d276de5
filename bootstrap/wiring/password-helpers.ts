import { type MetricFamily, metricFamily } from '../../adapters/observability/metric-families.ts';
import type { InMemoryPasswordCache } from '../../adapters/password-cache.ts';
import type { CheckAids } from '../../application/passwords/password-check.ts';
import type { Rehasher } from '../../application/passwords/rehasher.ts';
import type { Log } from '../../application/ports/log.ts';
import type { DomainEvents } from '../../application/users/domain-events.ts';
import { OptimisticUpdate } from '../../application/users/optimistic-update.ts';
import type { Configuration } from '../configuration/index.ts';
import type { Adapters } from '../container.ts';

/** What is done beside the checks of passwords, until the service stops. */
export interface PasswordAids extends CheckAids {
  /** What they measured since the start. */
  readings(): readonly MetricFamily[];
  /** Ends what they do, and forgets what they know. */
  stop(): Promise<void>;
}

const renewalOf = async (
  { passwordHash }: Configuration,
  { store, hash, clock }: Adapters,
  announcements: DomainEvents,
  log: Log,
): Promise<Rehasher | undefined> => {
  if (!passwordHash.rehash) return undefined;
  const { Rehasher } = await import('../../application/passwords/rehasher.ts');
  return new Rehasher(store.users, new OptimisticUpdate(store.users, announcements), hash, clock, log);
};

const rememberedOf = async ({ passwordHash: { cache } }: Configuration): Promise<InMemoryPasswordCache | undefined> => {
  if (cache === null) return undefined;
  const { InMemoryPasswordCache } = await import('../../adapters/password-cache.ts');
  return new InMemoryPasswordCache(cache);
};

const readingsOf = ({ hits, misses }: InMemoryPasswordCache): readonly MetricFamily[] => [
  metricFamily('counter', 'latchkey_password_cache_hits_total', 'Passwords that the cache knew as verified', hits),
  metricFamily('counter', 'latchkey_password_cache_misses_total', 'Passwords that the cache did not know', misses),
];

/** Loads what the block `passwordHash` asks for beside the checks, and nothing else. */
export const passwordAidsOf = async (
  configuration: Configuration,
  adapters: Adapters,
  announcements: DomainEvents,
  log: Log,
): Promise<PasswordAids> => {
  const renewal = await renewalOf(configuration, adapters, announcements, log);
  const verified = await rememberedOf(configuration);
  return {
    renewal,
    verified,
    readings: () => (verified === undefined ? [] : readingsOf(verified)),
    stop: async () => {
      verified?.clear();
      await renewal?.stop();
    },
  };
};
