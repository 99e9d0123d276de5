import { connectionAddress, headerAddress } from '../../adapters/http/api/accounts/client-parameters.ts';
import { openLimitedAttempts } from '../../adapters/stores/rate-limited-attempts.ts';
import { LoginThrottle } from '../../application/passwords/login-throttle.ts';
import type { ApiAdditions, Feature, FeatureContext } from './feature.ts';
import type { Throttle } from './throttle-block.ts';

/** How routes read the address for which wrong passwords are counted. */
const clientOf = ({ limits, clientHeader }: Throttle): Pick<ApiAdditions, 'client'> => {
  if (limits.clientFailures === 0) return {};
  return { client: clientHeader === null ? connectionAddress : headerAddress(clientHeader) };
};

/** The block `throttle`: limits on wrong passwords. */
export const open = async (block: Throttle, { configuration, adapters, log }: FeatureContext): Promise<Feature> => {
  const { limits } = block;
  const attempts = await openLimitedAttempts(adapters.store, limits, log);
  const throttle = new LoginThrottle(attempts, limits, configuration.operationTimeoutMs);
  return {
    collaborators: { throttle },
    counters: { passwords: attempts },
    api: clientOf(block),
    checkDatabase: () => throttle.check(),
    close: () => attempts.close(),
  };
};
