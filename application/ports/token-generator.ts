/** Generates verification tokens. */
export abstract class TokenGenerator {
  /** Returns a random UUID (RFC 9562, version 4). */
  abstract next(): string;
}
