export abstract class Tokens {
  /** A new verification token: an unguessable UUID (RFC 9562, version 4). */
  abstract next(): string;
}
