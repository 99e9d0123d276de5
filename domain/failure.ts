/** What is wrong with a new password. */
export type PasswordRule =
  | 'empty'
  | 'tooShort'
  | 'tooLong'
  | 'tooManyBytes'
  | 'containsAddress'
  | 'known'
  | 'guessable'
  | 'outerSpaces'
  | 'controlCharacters'
  | 'unchanged';

/** An error in one field of a request: its path in dot notation and a fixed text without any value. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
  /** What a new password breaks, for the page that asks for one. Problem documents have only the message. */
  readonly rule?: PasswordRule;
  /** The number in that rule. */
  readonly limit?: number;
}

/** The codes with which use cases refuse a request (docs/api.md, "Codes"). */
export type FailureCode =
  | 'user_exists'
  | 'id_taken'
  | 'id_immutable'
  | 'property_taken'
  | 'mailbox_taken'
  | 'domain_not_allowed'
  | 'user_not_found'
  | 'address_taken'
  | 'wrong_password'
  | 'not_permitted'
  | 'user_disabled'
  | 'password_change_required'
  | 'too_many_attempts'
  | 'unsuitable_address'
  | 'unsuitable_password'
  | 'weak_password'
  | 'invalid_properties'
  | 'user_too_large'
  | 'token_mismatch'
  | 'token_expired'
  | 'resend_too_soon'
  | 'not_invited'
  | 'conflict'
  | 'stale_user'
  | 'contended'
  | 'users_not_listed'
  | 'users_not_sorted'
  | 'mail_not_found'
  | 'mail_in_delivery';

/** A refusal with one of `Code`. It is a value, not an exception, because callers act on the code. */
export interface Failure<Code extends FailureCode = FailureCode> {
  readonly code: Code;
  readonly errors?: readonly FieldError[];
  /** Of `user_exists` where users have ids: whether a user with the id of the request exists. */
  readonly sameId?: boolean;
  /** When the request may succeed, in whole seconds from now, if that is known. */
  readonly retryAfterSeconds?: number;
  /** The user whom it is about, for the audit; absent unless the request may have named it by another key than the address. */
  readonly about?: FailureSubject;
}

/** The key of the address and the id of a user. */
export interface FailureSubject {
  readonly key: string;
  readonly id: string | undefined;
}

export const failure = <Code extends FailureCode>(code: Code, errors?: readonly FieldError[]): Failure<Code> =>
  errors === undefined ? { code } : { code, errors };
