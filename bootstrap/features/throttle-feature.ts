import { inMemoryAttempts } from '../../adapters/stores/rate-limited-attempts.ts';
import { LoginThrottle } from '../../application/passwords/login-throttle.ts';
import type { AttemptCounter, AttemptLimits } from '../../application/ports/attempt-counter.ts';
import type { Log } from '../../application/ports/log.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import type { Feature, FeatureContext } from './feature.ts';
import type { Throttle } from './throttle-block.ts';

/** Opens the attempt counter of a store, or one in the memory of this process if the store has none. */
export const openAttemptCounter = async (
  { attempts }: StorePorts,
  limits: AttemptLimits,
  log: Log,
): Promise<AttemptCounter> => {
  if (attempts !== undefined) return attempts(limits);
  log.warn({}, 'the database cannot count wrong passwords: each process counts in its memory until it stops');
  return inMemoryAttempts(limits);
};

/** The block `throttle`: limits on wrong passwords. */
export const open = async (
  { limits }: Throttle,
  { configuration, adapters, log }: FeatureContext,
): Promise<Feature> => {
  const attempts = await openAttemptCounter(adapters.store, limits, log);
  const throttle = new LoginThrottle(attempts, limits, configuration.operationTimeoutMs);
  return {
    collaborators: { throttle, attempts },
    checkDatabase: () => throttle.check(),
    close: () => attempts.close(),
  };
};
