import type { Clock } from '../application/ports/clock.ts';

/** The clock of the machine. Nothing else in the domain, the application and the adapters reads it. */
export const systemClock: Clock = { now: Date.now };
