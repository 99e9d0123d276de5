import { Clock, TokenGenerator } from '../../../application/ports/runtime.ts';

/** A clock that a test sets. */
export class ManualClock extends Clock {
  constructor(public time: number) {
    super();
  }

  now(): number {
    return this.time;
  }
}

/** Generates token-1, token-2 and so on. */
export class SequentialTokens extends TokenGenerator {
  private count = 0;

  next(): string {
    return `token-${++this.count}`;
  }
}
