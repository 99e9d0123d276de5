import { type MetricFamily, metricFamily } from '../../adapters/observability/metric-families.ts';
import { InMemoryPasswordCache } from '../../adapters/password-hashes/in-memory-password-cache.ts';
import { Rehasher } from '../../application/passwords/rehasher.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import type { PasswordHashBlock } from '../configuration/password-hash-block.ts';
import type { Feature, FeatureContext } from './feature.ts';

const cacheMetrics = ({ hits, misses }: InMemoryPasswordCache): readonly MetricFamily[] => [
  metricFamily('counter', 'latchkey_password_cache_hits_total', 'Password checks skipped because of the cache', hits),
  metricFamily('counter', 'latchkey_password_cache_misses_total', 'Passwords not found in the cache', misses),
];

/** The options `rehash` and `cache` of the block `passwordHash`. */
export const open = async (
  { rehash, cache: cacheOptions }: PasswordHashBlock,
  { log }: FeatureContext,
): Promise<Feature> => {
  const cache = cacheOptions === null ? undefined : new InMemoryPasswordCache(cacheOptions);
  return {
    checkHelpers: ({ adapters: { store, hash }, get }) => ({
      ...(rehash && { rehasher: new Rehasher(store.users, get(OptimisticUpdate), hash, log) }),
      ...(cache !== undefined && { cache }),
    }),
    metrics: () => (cache === undefined ? [] : cacheMetrics(cache)),
    close: async () => cache?.clear(),
  };
};
