/** The wall clock. */
export abstract class Clock {
  /** Milliseconds since the epoch. The value can decrease, so durations must not be measured with it. */
  abstract now(): number;
}
