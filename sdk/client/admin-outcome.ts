import type { components } from './admin-openapi.ts';
import { hasProblem, hasUser, propertyOf, type Refused } from './outcome.ts';

/** A user for administrators: without the stored password, and with the states in `email`. */
export type AdministeredUser = components['schemas']['User'];

type DocumentedProblem = components['schemas']['Problem'];

/** Why the administration refused a call: a problem document (RFC 9457). */
export type AdminProblem = Omit<DocumentedProblem, 'code'> & {
  /** A database of your own package may be unable to list users. */
  readonly code: DocumentedProblem['code'] | 'users_not_listed';
};

export type AdminRefused = Refused<AdminProblem>;

/** The result of a call: the user, or the problem. `etag` is the version of the user, for `ifMatch`. */
export type AdminOutcome = { readonly ok: true; readonly user: AdministeredUser; readonly etag: string } | AdminRefused;

/** A page of users; `next` is the `after` of the next one, and null after the last. */
export type UserPage = components['schemas']['UserPage'];
export type ListOutcome = ({ readonly ok: true } & UserPage) | AdminRefused;

/** A page of mails that wait to be sent, without their links; `next` is the `after` of the next one. */
export type MailPage = components['schemas']['MailPage'];
export type MailListOutcome = ({ readonly ok: true } & MailPage) | AdminRefused;

/** The wrong passwords that are counted for a user, and the remaining seconds of a block; 0 without one. */
export type AttemptCount = components['schemas']['AttemptCount'];
export type AttemptsOutcome = ({ readonly ok: true } & AttemptCount) | AdminRefused;

export const isUser = (value: unknown): value is AdministeredUser => hasUser(value);
export const isProblem = (value: unknown): value is AdminProblem => hasProblem(value);
export const isPage = (value: unknown): value is UserPage => {
  const [users, next] = [propertyOf(value, 'users'), propertyOf(value, 'next')];
  return Array.isArray(users) && users.every(isUser) && (next === null || typeof next === 'string');
};
export const isMailPage = (value: unknown): value is MailPage => {
  const [mails, next] = [propertyOf(value, 'mails'), propertyOf(value, 'next')];
  return Array.isArray(mails) && (next === null || typeof next === 'string');
};
export const isCount = (value: unknown): value is AttemptCount =>
  typeof propertyOf(value, 'failures') === 'number' && typeof propertyOf(value, 'blockedForSeconds') === 'number';
