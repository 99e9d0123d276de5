export abstract class Clock {
  /** Milliseconds since the epoch. It may go back; durations are not measured with it. */
  abstract now(): number;
}
