import type { AttemptCounter, AttemptLimits } from '../../application/ports/attempt-counter.ts';
import type { Log } from '../../application/ports/log.ts';
import type { StorePorts, UserStore } from '../../application/ports/user-store.ts';

/** The counts of wrong passwords beside a store, or in the memory of this process where the store keeps none. */
export const countsBeside = async (
  { attempts }: StorePorts,
  limits: AttemptLimits,
  log: Log,
): Promise<AttemptCounter> => {
  if (attempts !== undefined) return attempts(limits);
  log.warn({}, 'the database counts no wrong passwords: each process counts in its memory, and forgets when it stops');
  const { inMemoryAttempts } = await import('../../adapters/kit/rate-limited-attempts.ts');
  return inMemoryAttempts(limits);
};

/** A line about the users, and one about the counts where there are some; throws the Fault of whichever is not well. */
export const checkBoth = async (users: UserStore, attempts: AttemptCounter | null): Promise<string> => {
  const line = await users.check();
  return attempts === null ? line : `${line}; ${await attempts.check()}`;
};
