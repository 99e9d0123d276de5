import { AdminCalls, changeParametersOf } from './admin-calls.ts';
import type { components, operations } from './admin-openapi.ts';
import {
  type AdminOutcome,
  type AttemptsOutcome,
  adminOutcomeOf,
  contentOutcomeOf,
  type ErasureOutcome,
  type ExportOutcome,
  isCount,
  isErasure,
  isExport,
  isMailPage,
  isPage,
  isPerson,
  isProblem,
  type ListOutcome,
  type MailListOutcome,
  type MailOutcome,
  mailOutcomeOf,
  type PersonOutcome,
} from './admin-outcome.ts';
import { refusedWith } from './outcome.ts';
import { type AdministeredReference, type AdministeredUser, membersOf, pathOf } from './references.ts';
import type { AdminClientOptions, CallOptions } from './transport.ts';
import type { AnyProperties, PropertiesPatch } from './users.ts';

/** Which users to list: `state` is `disabled`, `password_change_required`, `invited` or `blocked`; `address` a beginning. */
export type ListedUsers = NonNullable<operations['listUsers']['parameters']['query']>;

/** Which page of the waiting mails to list. */
export type ListedMails = NonNullable<operations['listMails']['parameters']['query']>;

/** Why a user is disabled, and until when, in milliseconds since the epoch; for good without `until`. */
export type Disablement = components['schemas']['Disablement'];

/** A new user; without a password one who is invited by mail. The service chooses an omitted `id`. */
export interface AddedUser<Properties extends object = AnyProperties> {
  readonly email: string;
  readonly id?: string;
  readonly password?: string;
  /** Custom properties. */
  readonly properties?: Properties;
}

/**
 * Calls the administration, in which an id may stand for an address. Methods resolve and reject as those of
 * LatchkeyClient do.
 */
export class LatchkeyAdminClient<Properties extends object = AnyProperties> {
  private readonly calls: AdminCalls<Properties>;

  /** Throws a TypeError for an invalid URL, or one with credentials. */
  constructor(options: AdminClientOptions) {
    this.calls = new AdminCalls(options);
  }

  /** Lists users, page by page. A page may have fewer users than `limit`, or none, although more follow. */
  async listUsers(query: ListedUsers = {}, options?: CallOptions): Promise<ListOutcome<Properties>> {
    return contentOutcomeOf(
      await this.calls.read(options, (http, sent) => http.GET('/admin/users', { ...sent, params: { query } })),
      isPage<Properties>,
    );
  }

  /** Reads a user. */
  async getUser(user: AdministeredUser, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    const params = { path: pathOf(user) };
    return adminOutcomeOf(
      await this.calls.read(options, (http, sent) => http.GET('/admin/users/{address}', { ...sent, params })),
    );
  }

  /** Exports everything that is stored about a user, without password, tokens and digests. */
  async exportUser(user: AdministeredUser, options?: CallOptions): Promise<ExportOutcome> {
    const params = { path: pathOf(user) };
    const answer = await this.calls.read(options, (http, sent) =>
      http.GET('/admin/users/{address}/export', { ...sent, params }),
    );
    const { status, body } = answer;
    return status === 200 && isExport(body) ? { ok: true, user: body } : refusedWith(answer, isProblem);
  }

  /** Gathers everything about a person, who need not be a user any more. */
  async getPerson(person: AdministeredUser, options?: CallOptions): Promise<PersonOutcome> {
    const params = { path: pathOf(person) };
    return contentOutcomeOf(
      await this.calls.read(options, (http, sent) => http.GET('/admin/people/{address}', { ...sent, params })),
      isPerson,
    );
  }

  /** Erases all that, for good. A repeated call erases what is left. */
  async erasePerson(person: AdministeredReference, options?: CallOptions): Promise<ErasureOutcome> {
    const params = changeParametersOf(person);
    return contentOutcomeOf(
      await this.calls.send(options, (http, sent) => http.DELETE('/admin/people/{address}', { ...sent, params })),
      isErasure,
    );
  }

  /** Deletes a user, and returns it. */
  deleteUser(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.calls.change(user, options, (http, sent) => http.DELETE('/admin/users/{address}', { ...sent }));
  }

  /** Edits custom properties by a JSON merge patch; null removes one. */
  editProperties(
    user: AdministeredReference,
    patch: PropertiesPatch<Properties>,
    options?: CallOptions,
  ): Promise<AdminOutcome<Properties>> {
    return this.calls.change(user, options, (http, { headers, ...sent }) =>
      http.PATCH('/admin/users/{address}', {
        ...sent,
        headers: { ...headers, 'Content-Type': 'application/merge-patch+json' },
        body: membersOf(patch),
      }),
    );
  }

  /** Creates a user; without a password the user is invited to choose one. Only with `admin.createUsers`. */
  async createUser(
    { email, id, password, properties }: AddedUser<Properties>,
    options?: CallOptions,
  ): Promise<AdminOutcome<Properties>> {
    const fixed = { email: { address: email }, ...(id !== undefined && { id }) };
    // Left out where it is undefined, also if the properties have one: then the user is invited.
    const body = { ...membersOf({ ...properties, password }), ...fixed };
    const answer = await this.calls.send(options, (http, sent) => http.POST('/admin/users', { ...sent, body }));
    return adminOutcomeOf(answer, 201);
  }

  /** Mails an invited user another link, which ends the former one; only with `invitations`. */
  inviteUser(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.calls.post('/admin/users/{address}/invite', user, options);
  }

  /** Gives a user another address, which is not verified; only with `admin.createUsers`. */
  changeAddress(
    user: AdministeredReference,
    address: string,
    options?: CallOptions,
  ): Promise<AdminOutcome<Properties>> {
    return this.calls.change(user, options, (http, sent) =>
      http.PUT('/admin/users/{address}/address', { ...sent, body: { address } }),
    );
  }

  /** Marks the address as not verified, and removes its token. */
  resetVerification(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.calls.post('/admin/users/{address}/reset', user, options);
  }

  /** Mails a user a link that verifies the address; only where the service sends mails and has `server.publicUrl`. */
  mailVerification(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.calls.post('/admin/users/{address}/send-verification', user, options);
  }

  /** Marks the address as verified. */
  markVerified(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.calls.post('/admin/users/{address}/mark-verified', user, options);
  }

  /** Ends a change of address that waits for its confirmation; only with `email.confirmChange`. */
  cancelAddressChange(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.calls.post('/admin/users/{address}/cancel-address-change', user, options);
  }

  /** Refuses every request with the password of the user, for good or until a time. */
  disableUser(
    user: AdministeredReference,
    body: Disablement,
    options?: CallOptions,
  ): Promise<AdminOutcome<Properties>> {
    return this.calls.change(user, options, (http, sent) =>
      http.POST('/admin/users/{address}/disable', { ...sent, body }),
    );
  }

  /** Ends a disablement. */
  enableUser(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.calls.post('/admin/users/{address}/enable', user, options);
  }

  /** Requires a new password at the next login. */
  requirePasswordChange(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.calls.post('/admin/users/{address}/require-password-change', user, options);
  }

  /** Lets a user who had to set a new password keep the current one. */
  withdrawPasswordChange(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.calls.post('/admin/users/{address}/withdraw-password-change', user, options);
  }

  /** Sets a password. */
  setPassword(user: AdministeredReference, password: string, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.calls.change(user, options, (http, sent) =>
      http.PUT('/admin/users/{address}/password', { ...sent, body: { password } }),
    );
  }

  /** Removes the password, so that every one is wrong. */
  clearPassword(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.calls.change(user, options, (http, sent) =>
      http.DELETE('/admin/users/{address}/password', { ...sent }),
    );
  }

  /** Reads how many wrong passwords, and codes of recoveries, are counted for a user, and how long they block it. */
  async getAttempts(user: AdministeredUser, options?: CallOptions): Promise<AttemptsOutcome> {
    const params = { path: pathOf(user) };
    return contentOutcomeOf(
      await this.calls.read(options, (http, sent) => http.GET('/admin/users/{address}/attempts', { ...sent, params })),
      isCount,
    );
  }

  /** Resets the counts of wrong passwords, tokens and codes of a user, which ends every block. */
  unblockUser(user: AdministeredUser, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.calls.change(user, options, (http, { params: { path }, ...sent }) =>
      http.POST('/admin/users/{address}/unblock', { ...sent, params: { path } }),
    );
  }

  /** Mails a user a link or a code for a new password; only with `recovery` by mail. */
  startRecovery(user: AdministeredUser, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.calls.change(user, options, (http, { params: { path }, ...sent }) =>
      http.POST('/admin/users/{address}/recovery', { ...sent, params: { path } }),
    );
  }

  /** Lists the mails that wait to be sent, page by page; only with queued mails. */
  async listMails(query: ListedMails = {}, options?: CallOptions): Promise<MailListOutcome> {
    return contentOutcomeOf(
      await this.calls.read(options, (http, sent) => http.GET('/admin/mails', { ...sent, params: { query } })),
      isMailPage,
    );
  }

  /**
   * Makes a mail due now, by its `id` in the list, and returns it. One that may be on its way stays as it is and is refused
   * with `mail_in_delivery`, so that it is not sent twice.
   */
  async retryMail(id: string, options?: CallOptions): Promise<MailOutcome> {
    const params = { path: { id } };
    return mailOutcomeOf(
      await this.calls.send(options, (http, sent) => http.POST('/admin/mails/{id}/retry', { ...sent, params })),
    );
  }

  /** Removes a mail that waits, by its `id` in the list, and returns it. */
  async discardMail(id: string, options?: CallOptions): Promise<MailOutcome> {
    const params = { path: { id } };
    return mailOutcomeOf(
      await this.calls.send(options, (http, sent) => http.DELETE('/admin/mails/{id}', { ...sent, params })),
    );
  }
}

/** Creates a client of the administration. Throws a TypeError for an invalid URL, or one with credentials. */
export const createAdminClient = <Properties extends object = AnyProperties>(
  options: AdminClientOptions,
): LatchkeyAdminClient<Properties> => new LatchkeyAdminClient(options);
