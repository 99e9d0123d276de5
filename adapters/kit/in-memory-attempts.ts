import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { AttemptCounter, AttemptLimits } from '../../application/ports/attempt-counter.ts';
import { LimitedAttempts } from './limited-attempts.ts';

/** Failed attempts in the memory of this process. */
export const attemptsInMemory = (limits: AttemptLimits): AttemptCounter =>
  new LimitedAttempts(
    {
      limiter: (options) => new RateLimiterMemory(options),
      call: (work) => work(),
      check: async () => 'wrong passwords are counted in memory',
      close: async () => undefined,
    },
    limits,
  );
