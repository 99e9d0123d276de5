import { Clock } from '../../../application/ports/clock.ts';

/** A clock that a test sets. */
export class ManualClock extends Clock {
  constructor(public time: number) {
    super();
  }

  now(): number {
    return this.time;
  }

  advance(ms: number): void {
    this.time += ms;
  }
}
