import type { components } from './openapi.ts';

/**
 * A user as the service returns it. Times are milliseconds since the epoch. `password` is the stored form, and missing
 * where the service is configured with `privacy.hidePasswords`.
 */
export type User = components['schemas']['User'];

/** Why the service refused a call: a problem document (RFC 9457). Act on its `code`; the texts are for people. */
export type Problem = components['schemas']['Problem'];

/** The codes of problem documents. */
export type ProblemCode = Problem['code'];

/**
 * The result of a call: the user, or the problem that the service reported. `etag` is the version of the user, for the
 * `ifMatch` of a change; it is empty, which no change accepts, if a proxy removed it.
 */
export type Outcome =
  | { readonly ok: true; readonly user: User; readonly etag: string }
  | { readonly ok: false; readonly problem: Problem };

/** The result of a check of a password: right, or the problem that the service reported. */
export type CheckOutcome = { readonly ok: true } | { readonly ok: false; readonly problem: Problem };

/** Thrown for a response that is not Latchkey's, such as the error page of a proxy. Holds nothing of its body. */
export class UnexpectedResponse extends Error {
  override readonly name = 'UnexpectedResponse';

  constructor(
    /** The HTTP status of the response. */
    readonly status: number,
  ) {
    super(`the response with status ${status} is not one of Latchkey`);
  }
}

const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const isUser = (value: unknown): value is User =>
  typeof propertyOf(propertyOf(value, 'email'), 'address') === 'string' &&
  ['string', 'undefined'].includes(typeof propertyOf(value, 'password')) &&
  typeof propertyOf(value, 'creationTime') === 'number' &&
  typeof propertyOf(value, 'lastUpdateTime') === 'number';

const isProblem = (value: unknown): value is Problem =>
  typeof propertyOf(value, 'code') === 'string' && typeof propertyOf(value, 'status') === 'number';

/** Parses JSON; undefined when the text is not JSON. */
export const parseJson = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
};

/** Reads the response to a check of a password. Throws an UnexpectedResponse when it is neither 204 nor a problem. */
export const checkOutcomeOf = (status: number, value: unknown): CheckOutcome => {
  if (status === 204) return { ok: true };
  if (status >= 400 && isProblem(value)) return { ok: false, problem: value };
  throw new UnexpectedResponse(status);
};

/**
 * Reads a response's status, decoded body and entity tag. Throws an UnexpectedResponse when the body is neither user
 * nor problem.
 */
export const outcomeOf = (status: number, value: unknown, etag: string): Outcome => {
  if (status < 400 && isUser(value)) return { ok: true, user: value, etag };
  if (status >= 400 && isProblem(value)) return { ok: false, problem: value };
  throw new UnexpectedResponse(status);
};
