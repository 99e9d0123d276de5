import { attemptsInMemory } from '../../../../../adapters/kit/in-memory-attempts.ts';
import { attemptCounterContract } from '../../../../../sdk/contract/failed-attempts.ts';

attemptCounterContract('memory', async (limits) => {
  const counts = attemptsInMemory(limits);
  return { one: counts, other: counts, dispose: () => counts.close() };
});
