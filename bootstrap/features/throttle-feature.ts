import { LoginThrottle } from '../../application/passwords/login-throttle.ts';
import type { Throttle } from '../configuration/throttle-block.ts';
import { openAttemptCounter } from '../service/attempt-counter.ts';
import type { Feature, FeatureContext } from './feature.ts';

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
