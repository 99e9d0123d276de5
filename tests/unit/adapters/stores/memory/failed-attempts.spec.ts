import { inMemoryAttempts } from '../../../../../adapters/kit/rate-limited-attempts.ts';
import { attemptCounterContract } from '../../../../../sdk/contract/attempt-counter.ts';

attemptCounterContract('memory', async (limits) => {
  const counts = inMemoryAttempts(limits);
  return { one: counts, other: counts, dispose: () => counts.close() };
});
