import { MemoryUserStore } from '../../../../adapters/stores/memory/memory-user-store.ts';
import { failedAttemptsContract } from '../../../contract/failed-attempts.ts';

failedAttemptsContract('memory', async (limits) => {
  const counts = await new MemoryUserStore().failedAttempts(limits);
  return { one: counts, other: counts, dispose: () => counts.close() };
});
