import type { components } from './openapi.ts';
import type { Answer } from './transport.ts';
import type { AnyProperties, User } from './users.ts';

/** Why the service refused a call: a problem document (RFC 9457). Act on its `code`; the texts are for people. */
export type Problem = components['schemas']['Problem'];

/** The codes of problem documents. */
export type ProblemCode = Problem['code'];

/** The service did not do what was asked. */
export interface Refused<Reported = Problem> {
  readonly ok: false;
  readonly problem: Reported;
  /** When the call may succeed, in seconds from now; absent if the service does not say (429, 503 and some others). */
  readonly retryAfterSeconds?: number;
}

/**
 * The result of a call: the user, or the problem that the service reported. `etag` is the version of the user, for the
 * `ifMatch` of a change; it is empty, which no change accepts, if a proxy removed it.
 */
export type Outcome<Properties extends object = AnyProperties> =
  | { readonly ok: true; readonly user: User<Properties>; readonly etag: string }
  | Refused;

/** The result of a check of a password: right, or the problem that the service reported. */
export type CheckOutcome = { readonly ok: true } | Refused;

/** The result of a quiet sign-up, which does not say whether the address had an account. */
export type SignUpOutcome = { readonly ok: true } | Refused;

/** A token that the service returned with `recovery.deliver: caller`. `expires` is in milliseconds since the epoch. */
export interface IssuedToken {
  readonly token: string;
  /** The address to mail it to: the one that a person gave may be another spelling, and another mailbox. */
  readonly address: string;
  readonly expires: number;
}

/** The result of a request for a recovery: the token is null where the service mails it. */
export type RecoveryOutcome = { readonly ok: true; readonly issued: IssuedToken | null } | Refused;

/**
 * Thrown for a response that Latchkey does not give to this call, such as the error page of a proxy, or that to a quiet
 * sign-up where none was asked for. Holds nothing of its body.
 */
export class UnexpectedResponse extends Error {
  override readonly name = 'UnexpectedResponse';

  constructor(
    /** The HTTP status of the response. */
    readonly status: number,
  ) {
    super(`the response with status ${status} is not one of Latchkey to this call`);
  }
}

/** A member of a decoded body; undefined without it. */
export const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Whether a body is a user of either API. */
export const hasUser = (value: unknown): boolean =>
  typeof propertyOf(propertyOf(value, 'email'), 'address') === 'string' &&
  ['string', 'undefined'].includes(typeof propertyOf(value, 'password')) &&
  typeof propertyOf(value, 'creationTime') === 'number' &&
  typeof propertyOf(value, 'lastUpdateTime') === 'number';

const isUser = <Properties extends object>(value: unknown): value is User<Properties> => hasUser(value);

/** Whether a body is a problem document of either API. */
export const hasProblem = (value: unknown): boolean =>
  typeof propertyOf(value, 'code') === 'string' && typeof propertyOf(value, 'status') === 'number';

const isProblem = (value: unknown): value is Problem => hasProblem(value);

/** Reads a refusal. Throws an UnexpectedResponse if the response is no problem. */
export const refusedWith = <Reported>(
  { status, body, retryAfterSeconds }: Answer,
  isReported: (body: unknown) => body is Reported,
): Refused<Reported> => {
  if (status < 400 || !isReported(body)) throw new UnexpectedResponse(status);
  return { ok: false, problem: body, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
};

const refusedBy = (answer: Answer): Refused => refusedWith(answer, isProblem);

/** Reads the response to a check of a password. Throws an UnexpectedResponse when it is neither 204 nor a problem. */
export const checkOutcomeOf = (answer: Answer): CheckOutcome =>
  answer.status === 204 ? { ok: true } : refusedBy(answer);

/**
 * Reads the response to a quiet sign-up. Throws an UnexpectedResponse for any other, such as that of a service that does not
 * allow them and has created the user.
 */
export const signUpOutcomeOf = (answer: Answer): SignUpOutcome =>
  answer.status === 202 ? { ok: true } : refusedBy(answer);

const issuedIn = (value: unknown): IssuedToken | undefined => {
  const [token, address, expires] = ['token', 'address', 'expires'].map((name) => propertyOf(value, name));
  const isIssued = typeof token === 'string' && typeof address === 'string' && typeof expires === 'number';
  return isIssued ? { token, address, expires } : undefined;
};

/** Reads the response to a request for a recovery. Throws an UnexpectedResponse for any other. */
export const recoveryOutcomeOf = (answer: Answer): RecoveryOutcome => {
  if (answer.status === 202) return { ok: true, issued: null };
  const issued = issuedIn(answer.body);
  return answer.status === 200 && issued !== undefined ? { ok: true, issued } : refusedBy(answer);
};

/** Reads a response. Throws an UnexpectedResponse when its body is neither user nor problem. */
export const outcomeOf = <Properties extends object>(answer: Answer): Outcome<Properties> => {
  const { status, body, etag } = answer;
  return status < 400 && isUser<Properties>(body) ? { ok: true, user: body, etag } : refusedBy(answer);
};
