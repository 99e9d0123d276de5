import { MemoryUserStore } from '../../../../../adapters/stores/memory/memory-user-store.ts';
import { attemptCounterContract } from '../../../../../sdk/contract/failed-attempts.ts';

attemptCounterContract('memory', async (limits) => {
  const counts = await new MemoryUserStore().failedAttempts(limits);
  return { one: counts, other: counts, dispose: () => counts.close() };
});
