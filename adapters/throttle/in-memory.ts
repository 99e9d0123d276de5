import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { AttemptLimits, FailedAttempts } from '../../application/ports/failed-attempts.ts';
import { LimitedAttempts } from './limited-attempts.ts';

/** Failed attempts in the memory of this process. */
export const attemptsInMemory = (limits: AttemptLimits): FailedAttempts =>
  new LimitedAttempts(
    {
      limiter: (options) => new RateLimiterMemory(options),
      call: (work) => work(),
      check: async () => 'wrong passwords are counted in memory',
      close: async () => undefined,
    },
    limits,
  );
