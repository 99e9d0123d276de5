import createFetch, { type Client } from 'openapi-fetch';
import type { components, operations, paths } from './admin-openapi.ts';
import {
  type AdminOutcome,
  type AttemptsOutcome,
  adminOutcomeOf,
  isCount,
  isMailPage,
  isPage,
  isProblem,
  type ListOutcome,
  type MailListOutcome,
} from './admin-outcome.ts';
import type { ApplicationKey } from './credentials.ts';
import { refusedWith } from './outcome.ts';
import { membersOf } from './references.ts';
import {
  type Answer,
  baseUrlOf,
  type CallOptions,
  type ClientOptions,
  type FetchOptions,
  type Sent,
  Transport,
} from './transport.ts';
import type { AnyProperties, PropertiesPatch } from './users.ts';

/** Which users to list: `state` is `disabled`, `password_change_required` or `blocked`; `address` a beginning. */
export type ListedUsers = NonNullable<operations['listUsers']['parameters']['query']>;

/** Which page of the waiting mails to list. */
export type ListedMails = NonNullable<operations['listMails']['parameters']['query']>;

/** Why a user is disabled, and until when, in milliseconds since the epoch; for good without `until`. */
export type Disablement = components['schemas']['Disablement'];

/** A user to change. With `ifMatch`, the `etag` of an earlier result, a user that has changed since is `stale_user`. */
export interface AdministeredReference {
  readonly email: string;
  readonly ifMatch?: string;
}

export interface AdminClientOptions
  extends Omit<ClientOptions, 'credentials' | 'retries' | 'clientHeader' | 'clientAddress'> {
  /** An entry of `admin.keys`. */
  readonly credentials: ApplicationKey;
  /** How often a call that only reads is repeated after a failed connection, 502, 503 or 504. Default: 0. */
  readonly retries?: number;
}

type Change = FetchOptions & {
  readonly params: { readonly path: { readonly address: string }; readonly header: { readonly 'If-Match'?: string } };
};

/** Calls the administration. Methods resolve and reject as those of LatchkeyClient do. */
export class LatchkeyAdminClient<Properties extends object = AnyProperties> {
  private readonly http: Client<paths>;
  private readonly transport: Transport;

  /** Throws a TypeError for an invalid URL, or one with credentials. */
  constructor({ url, fetch, ...options }: AdminClientOptions) {
    this.http = createFetch<paths>({ baseUrl: baseUrlOf(url), redirect: 'error', ...(fetch && { fetch }) });
    this.transport = new Transport(options);
  }

  /** Lists users, page by page. A page may have fewer users than `limit`, or none, although more follow. */
  async listUsers(query: ListedUsers = {}, options?: CallOptions): Promise<ListOutcome<Properties>> {
    const answer = await this.read(options, (sent) => this.http.GET('/admin/users', { ...sent, params: { query } }));
    const { status, body } = answer;
    return status === 200 && isPage<Properties>(body) ? { ok: true, ...body } : refusedWith(answer, isProblem);
  }

  /** Reads a user. */
  async getUser(email: string, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    const params = { path: { address: email } };
    return adminOutcomeOf(
      await this.read(options, (sent) => this.http.GET('/admin/users/{address}', { ...sent, params })),
    );
  }

  /** Deletes a user, and returns it. */
  deleteUser(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.change(user, options, (sent) => this.http.DELETE('/admin/users/{address}', { ...sent }));
  }

  /** Edits custom properties by a JSON merge patch; null removes one. */
  editProperties(
    user: AdministeredReference,
    patch: PropertiesPatch<Properties>,
    options?: CallOptions,
  ): Promise<AdminOutcome<Properties>> {
    return this.change(user, options, ({ headers, ...sent }) =>
      this.http.PATCH('/admin/users/{address}', {
        ...sent,
        headers: { ...headers, 'Content-Type': 'application/merge-patch+json' },
        body: membersOf(patch),
      }),
    );
  }

  /** Marks the address as not verified, and removes its token. */
  resetVerification(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.change(user, options, (sent) => this.http.POST('/admin/users/{address}/reset', { ...sent }));
  }

  /** Refuses every request with the password of the user, for good or until a time. */
  disableUser(
    user: AdministeredReference,
    body: Disablement,
    options?: CallOptions,
  ): Promise<AdminOutcome<Properties>> {
    return this.change(user, options, (sent) => this.http.POST('/admin/users/{address}/disable', { ...sent, body }));
  }

  /** Ends a disablement. */
  enableUser(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.change(user, options, (sent) => this.http.POST('/admin/users/{address}/enable', { ...sent }));
  }

  /** Requires a new password at the next login. */
  requirePasswordChange(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.change(user, options, (sent) =>
      this.http.POST('/admin/users/{address}/require-password-change', { ...sent }),
    );
  }

  /** Lets a user who had to set a new password keep the current one. */
  withdrawPasswordChange(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.change(user, options, (sent) =>
      this.http.POST('/admin/users/{address}/withdraw-password-change', { ...sent }),
    );
  }

  /** Sets a password. */
  setPassword(user: AdministeredReference, password: string, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.change(user, options, (sent) =>
      this.http.PUT('/admin/users/{address}/password', { ...sent, body: { password } }),
    );
  }

  /** Removes the password, so that every one is wrong. */
  clearPassword(user: AdministeredReference, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    return this.change(user, options, (sent) => this.http.DELETE('/admin/users/{address}/password', { ...sent }));
  }

  /** Reads how many wrong passwords, and codes of recoveries, are counted for a user, and how long they block it. */
  async getAttempts(email: string, options?: CallOptions): Promise<AttemptsOutcome> {
    const params = { path: { address: email } };
    const answer = await this.read(options, (sent) =>
      this.http.GET('/admin/users/{address}/attempts', { ...sent, params }),
    );
    const { status, body } = answer;
    return status === 200 && isCount(body) ? { ok: true, ...body } : refusedWith(answer, isProblem);
  }

  /** Resets the counts of wrong passwords, tokens and codes of a user, which ends every block. */
  async unblockUser(email: string, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    const params = { path: { address: email } };
    const send = (sent: FetchOptions) => this.http.POST('/admin/users/{address}/unblock', { ...sent, params });
    return adminOutcomeOf(await this.transport.request(options, send, false));
  }

  /** Mails a user a link or a code for a new password; only with `recovery` by mail. */
  async startRecovery(email: string, options?: CallOptions): Promise<AdminOutcome<Properties>> {
    const params = { path: { address: email } };
    const send = (sent: FetchOptions) => this.http.POST('/admin/users/{address}/recovery', { ...sent, params });
    return adminOutcomeOf(await this.transport.request(options, send, false));
  }

  /** Lists the mails that wait to be sent, page by page; only with queued mails. */
  async listMails(query: ListedMails = {}, options?: CallOptions): Promise<MailListOutcome> {
    const answer = await this.read(options, (sent) => this.http.GET('/admin/mails', { ...sent, params: { query } }));
    const { status, body } = answer;
    return status === 200 && isMailPage(body) ? { ok: true, ...body } : refusedWith(answer, isProblem);
  }

  private read(options: CallOptions | undefined, send: (sent: FetchOptions) => Sent): Promise<Answer> {
    return this.transport.request(options, send, true);
  }

  private async change(
    { email, ifMatch }: AdministeredReference,
    options: CallOptions | undefined,
    send: (sent: Change) => Sent,
  ): Promise<AdminOutcome<Properties>> {
    const header = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
    const params = { path: { address: email }, header };
    return adminOutcomeOf(await this.transport.request(options, (sent) => send({ ...sent, params }), false));
  }
}

/** Creates a client of the administration. Throws a TypeError for an invalid URL, or one with credentials. */
export const createAdminClient = <Properties extends object = AnyProperties>(
  options: AdminClientOptions,
): LatchkeyAdminClient<Properties> => new LatchkeyAdminClient(options);
