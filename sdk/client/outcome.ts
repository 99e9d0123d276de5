import type { components } from './openapi.ts';

/** A user as the service returns it. Times are milliseconds since the epoch; `password` is the stored form. */
export type User = components['schemas']['User'];

/** Why the service refused a call: a problem document (RFC 9457). Act on its `code`; its texts are for people. */
export type Problem = components['schemas']['Problem'];

/** Every code of a problem document. */
export type ProblemCode = Problem['code'];

/** What came of a call: the user, or the problem that the service reported. */
export type Outcome = { readonly ok: true; readonly user: User } | { readonly ok: false; readonly problem: Problem };

/** An answer that is none of Latchkey's, such as the error page of a proxy. It says nothing of what the answer held. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';

  constructor(
    /** The HTTP status of the answer. */
    readonly status: number,
  ) {
    super(`the answer with status ${status} is not one of Latchkey`);
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const isUser = (value: unknown): value is User =>
  typeof memberOf(memberOf(value, 'email'), 'address') === 'string' &&
  typeof memberOf(value, 'password') === 'string' &&
  typeof memberOf(value, 'creationTime') === 'number' &&
  typeof memberOf(value, 'lastUpdateTime') === 'number';

const isProblem = (value: unknown): value is Problem =>
  typeof memberOf(value, 'code') === 'string' && typeof memberOf(value, 'status') === 'number';

/** What a text holds as JSON; undefined when it is none. */
export const parsed = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
};

/** What an answer means, by its status and its JSON; throws an UnexpectedAnswer when it is neither user nor problem. */
export const outcomeOf = (status: number, value: unknown): Outcome => {
  if (status < 400 && isUser(value)) return { ok: true, user: value };
  if (status >= 400 && isProblem(value)) return { ok: false, problem: value };
  throw new UnexpectedAnswer(status);
};

/** The problem document that the service would send for a password which no header can carry. */
export const unsendablePassword: Outcome = {
  ok: false,
  problem: {
    type: 'urn:latchkey:problem:invalid_parameter',
    title: 'Invalid parameter',
    status: 400,
    detail: 'A query parameter or header is missing, repeated or malformed.',
    code: 'invalid_parameter',
    errors: [{ path: 'header.password', message: 'must not hold line breaks or other control characters' }],
  },
};
