/** The wall clock. */
export abstract class Clock {
  /** Milliseconds since the epoch. The value can decrease, so durations must not be measured with it. */
  abstract now(): number;
}

/** Generates verification tokens. */
export abstract class TokenGenerator {
  /** Returns a random UUID (RFC 9562, version 4). */
  abstract next(): string;
}
