import type { components } from './admin-openapi.ts';
import { hasProblem, hasUser, propertyOf, type Refused, refusedWith } from './outcome.ts';
import type { Answer } from './transport.ts';
import type { AdministeredUser, AnyProperties } from './users.ts';

/** Why the administration refused a call: a problem document (RFC 9457). */
export type AdminProblem = components['schemas']['Problem'];

export type AdminRefused = Refused<AdminProblem>;

/** The result of a call: the user, or the problem. `etag` is the version of the user, for `ifMatch`. */
export type AdminOutcome<Properties extends object = AnyProperties> =
  | { readonly ok: true; readonly user: AdministeredUser<Properties>; readonly etag: string }
  | AdminRefused;

/** Everything that is stored about a user, without password, tokens and digests. */
export type ExportedUser = components['schemas']['ExportedUser'];
export type ExportOutcome = { readonly ok: true; readonly user: ExportedUser } | AdminRefused;

/** A page of users; `next` is the `after` of the next one, and null after the last. */
export type UserPage<Properties extends object = AnyProperties> = Omit<components['schemas']['UserPage'], 'users'> & {
  users: AdministeredUser<Properties>[];
};
export type ListOutcome<Properties extends object = AnyProperties> =
  | ({ readonly ok: true } & UserPage<Properties>)
  | AdminRefused;

/** A page of mails that wait to be sent, without their links; `next` is the `after` of the next one. */
export type MailPage = components['schemas']['MailPage'];
export type MailListOutcome = ({ readonly ok: true } & MailPage) | AdminRefused;

/** A mail that waits to be sent. */
export type QueuedMail = components['schemas']['QueuedMail'];
export type MailOutcome = { readonly ok: true; readonly mail: QueuedMail } | AdminRefused;

/** The wrong passwords that are counted for a user, and the remaining seconds of a block; 0 without one. */
export type AttemptCount = components['schemas']['AttemptCount'];
export type AttemptsOutcome = ({ readonly ok: true } & AttemptCount) | AdminRefused;

/** Everything about a person, who need not be a user, without hashes, tokens and digests. */
export type Person = components['schemas']['Person'];
export type PersonOutcome = ({ readonly ok: true } & Person) | AdminRefused;

/** What an erasure has removed, and what is elsewhere. */
export type Erasure = components['schemas']['Erasure'];
export type ErasureOutcome = ({ readonly ok: true } & Erasure) | AdminRefused;

const isUser = <Properties extends object>(value: unknown): value is AdministeredUser<Properties> => hasUser(value);
export const isExport = (value: unknown): value is ExportedUser => hasUser(value);
export const isProblem = (value: unknown): value is AdminProblem => hasProblem(value);
export const isPage = <Properties extends object>(value: unknown): value is UserPage<Properties> => {
  const [users, next] = [propertyOf(value, 'users'), propertyOf(value, 'next')];
  return Array.isArray(users) && users.every(hasUser) && (next === null || typeof next === 'string');
};
export const isMailPage = (value: unknown): value is MailPage => {
  const [mails, next] = [propertyOf(value, 'mails'), propertyOf(value, 'next')];
  return Array.isArray(mails) && (next === null || typeof next === 'string');
};
export const isCount = (value: unknown): value is AttemptCount =>
  typeof propertyOf(value, 'failures') === 'number' && typeof propertyOf(value, 'blockedForSeconds') === 'number';

export const isPerson = (value: unknown): value is Person =>
  Array.isArray(propertyOf(value, 'names')) && Array.isArray(propertyOf(value, 'elsewhere'));
export const isErasure = (value: unknown): value is Erasure =>
  typeof propertyOf(value, 'erased') === 'object' && Array.isArray(propertyOf(value, 'elsewhere'));

/** Reads a response with a page or a count. Throws an UnexpectedResponse when its body is neither this nor a problem. */
export const contentOutcomeOf = <Content extends object>(
  answer: Answer,
  isContent: (body: unknown) => body is Content,
): ({ readonly ok: true } & Content) | AdminRefused => {
  const { status, body } = answer;
  return status === 200 && isContent(body) ? { ok: true, ...body } : refusedWith(answer, isProblem);
};

/** Reads a response with a user. Throws an UnexpectedResponse when its body is neither user nor problem. */
export const adminOutcomeOf = <Properties extends object>(
  answer: Answer,
  expected: 200 | 201 = 200,
): AdminOutcome<Properties> => {
  const { status, body, etag } = answer;
  return status === expected && isUser<Properties>(body)
    ? { ok: true, user: body, etag }
    : refusedWith(answer, isProblem);
};

const isMail = (value: unknown): value is QueuedMail => typeof propertyOf(value, 'id') === 'string';

/** Reads a response with a mail. Throws an UnexpectedResponse when its body is neither mail nor problem. */
export const mailOutcomeOf = (answer: Answer): MailOutcome => {
  const { status, body } = answer;
  return status === 200 && isMail(body) ? { ok: true, mail: body } : refusedWith(answer, isProblem);
};
