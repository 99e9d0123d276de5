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

/**
 * How a mail provider refused one mail: `permanent` if it will never accept this mail, such as one to an unknown mailbox;
 * `temporary` if it may accept it later, such as one to a server that did not answer in time.
 */
export type MailRefusal = 'permanent' | 'temporary';

interface FaultOptions {
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
  /** Only for `mail_failed`, where the provider could be used and refused this one mail. */
  readonly refusal?: MailRefusal | undefined;
  /** Only for `store_rejected`, where one record cannot be read: its key. */
  readonly record?: string | undefined;
}

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
    options: FaultOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.refusal = options.refusal;
    this.record = options.record;
  }

  /** When the caller may try again, in seconds; undefined if unknown. */
  readonly retryAfterSeconds: number | undefined;

  /** How a mail was refused; undefined for every other failure. */
  readonly refusal: MailRefusal | undefined;

  /** The key of the one record that cannot be read, for the log; undefined for every other failure. */
  readonly record: string | undefined;

  /** On the prototype, so that nothing that lists the members of an error shows it. */
  get [mark](): true {
    return true;
  }
}

/** Whether an error concerns one record, which must not keep the others. */
export const isOfRecord = (error: unknown): error is Fault & { readonly record: string } =>
  error instanceof Fault && error.record !== undefined;

/** The result of `work`, or another one where it meets a damaged record. */
export const unlessDamaged = <Result, Other>(
  work: Promise<Result>,
  otherwise: (damage: Fault) => Other | Promise<Other>,
): Promise<Result | Other> =>
  work.catch((error: unknown) => {
    if (isOfRecord(error)) return otherwise(error);
    throw error;
  });

/**
 * The code of a Fault, or `unexpected`. Messages of errors can hold values and must not become labels or attributes.
 */
export const errorCodeOf = (error: unknown): string => (error instanceof Fault ? error.code : 'unexpected');

/**
 * The first frames of the stack of an error, for logs. Its message stays out, because it may hold a value, although a line
 * of it can look like a frame.
 */
export const stackFrames = (error: Error, count: number): readonly string[] =>
  (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, count)
    .map((line) => line.trim());

/**
 * Why something failed, for operators: the message of a Fault; of any other error, whose message may hold a value, the kind
 * and the place.
 */
export const reasonOf = (error: unknown): string => {
  if (error instanceof Fault) return error.message;
  if (!(error instanceof Error)) return `unexpected ${typeof error}`;
  return [`unexpected ${error.constructor.name}`, ...stackFrames(error, 1)].join(' ');
};
