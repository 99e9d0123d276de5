/** Codes of infrastructure failures. */
export type FaultCode =
  | 'store_unavailable'
  | 'store_rejected'
  | 'mail_failed'
  | 'keys_unavailable'
  | 'secrets_unavailable'
  | 'secret_unknown'
  | 'overloaded'
  | 'timed_out';

/** Marks every Fault: an adapter may bring a copy of this class, from another installation of the package. */
const mark = Symbol.for('latchkey.Fault');

/**
 * A failure of a collaborator: thrown by ports, answered with 503 or 500, never with the text of its cause.
 * `message` is written by the adapter for operators: it names what failed and holds no value of a user or a secret.
 */
export class Fault extends Error {
  override readonly name = 'Fault';

  static override [Symbol.hasInstance](value: unknown): value is Fault {
    return typeof value === 'object' && value !== null && mark in value;
  }

  constructor(
    readonly code: FaultCode,
    message: string,
    options: { readonly cause?: unknown; readonly retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** When the caller may try again, in seconds; undefined if unknown. */
  readonly retryAfterSeconds: number | undefined;

  /** On the prototype, so that nothing that lists the members of an error shows it. */
  get [mark](): true {
    return true;
  }
}

/**
 * The code of a Fault, or `unexpected`. Messages of errors can hold values and must not become labels or attributes.
 */
export const errorCodeOf = (error: unknown): string => (error instanceof Fault ? error.code : 'unexpected');
