import { randomUUID } from 'node:crypto';
import { Clock } from '../application/ports/clock.ts';
import { Tokens } from '../application/ports/tokens.ts';

/** The clock of the machine. */
export class SystemClock extends Clock {
  override now(): number {
    return Date.now();
  }
}

/** Random UUIDs from the system's cryptographic source. */
export class RandomTokens extends Tokens {
  override next(): string {
    return randomUUID();
  }
}
