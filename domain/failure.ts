/** What is wrong with one field of a request: its path in dot notation, and a fixed text that repeats no value. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** Every way in which the service can refuse what it was asked for (specification, section 7). */
export type FailureCode =
  | 'user_exists'
  | 'user_not_found'
  | 'address_taken'
  | 'wrong_password'
  | 'too_many_attempts'
  | 'unsuitable_password'
  | 'invalid_properties'
  | 'user_too_large'
  | 'token_mismatch'
  | 'token_expired'
  | 'resend_too_soon'
  | 'conflict'
  | 'contended'
  | 'users_not_listed';

/** A refusal. It is a value, not an exception: the caller acts on the code. */
export interface Failure {
  readonly code: FailureCode;
  readonly errors?: readonly FieldError[];
  /** When the same may be asked for again, in whole seconds, where that is known. */
  readonly retryAfterSeconds?: number;
}

export const failure = (code: FailureCode, errors?: readonly FieldError[]): Failure =>
  errors === undefined ? { code } : { code, errors };
