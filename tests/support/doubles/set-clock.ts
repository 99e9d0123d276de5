import { Clock } from '../../../application/ports/clock.ts';

/** A clock that shows what a test sets. */
export class SetClock extends Clock {
  constructor(public time: number) {
    super();
  }

  now(): number {
    return this.time;
  }
}
