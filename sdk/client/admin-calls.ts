import createFetch, { type Client } from 'openapi-fetch';
import type { paths } from './admin-openapi.ts';
import { type AdminOutcome, adminOutcomeOf } from './admin-outcome.ts';
import { type AdministeredReference, pathOf } from './references.ts';
import {
  type AdminClientOptions,
  type Answer,
  baseUrlOf,
  type CallOptions,
  type FetchOptions,
  type Sent,
  Transport,
} from './transport.ts';

type Change = FetchOptions & {
  readonly params: { readonly path: { readonly address: string }; readonly header: { readonly 'If-Match'?: string } };
};

type ChangeWithoutBody = `/admin/users/{address}/${
  | 'reset'
  | 'invite'
  | 'send-verification'
  | 'mark-verified'
  | 'cancel-address-change'
  | 'enable'
  | 'require-password-change'
  | 'withdraw-password-change'}`;

/** Sends a request with the client of the paths. */
type Send<Parameters> = (http: Client<paths>, sent: Parameters) => Sent;

/** The parameters of a change, with the version that the user must have. */
export const changeParametersOf = (user: AdministeredReference) => {
  const ifMatch = typeof user === 'string' ? undefined : user.ifMatch;
  return { path: pathOf(user), header: ifMatch === undefined ? {} : { 'If-Match': ifMatch } };
};

/** What the methods of the client of the administration have in common. */
export class AdminCalls<Properties extends object> {
  private readonly http: Client<paths>;
  private readonly transport: Transport;

  /** Throws a TypeError for an invalid URL, or one with credentials. */
  constructor({ url, fetch, ...options }: AdminClientOptions) {
    this.http = createFetch<paths>({ baseUrl: baseUrlOf(url), redirect: 'error', ...(fetch && { fetch }) });
    this.transport = new Transport(options);
  }

  /** A call that only reads, and may be repeated. */
  read(options: CallOptions | undefined, send: Send<FetchOptions>): Promise<Answer> {
    return this.transport.request(options, (sent) => send(this.http, sent), true);
  }

  /** A call that changes something, which is never repeated. */
  send(options: CallOptions | undefined, send: Send<FetchOptions>): Promise<Answer> {
    return this.transport.request(options, (sent) => send(this.http, sent), false);
  }

  /** A change of a user without a body. */
  post(path: ChangeWithoutBody, user: AdministeredReference, options: CallOptions | undefined) {
    return this.change(user, options, (http, sent) => http.POST(path, { ...sent }));
  }

  async change(
    user: AdministeredReference,
    options: CallOptions | undefined,
    send: Send<Change>,
  ): Promise<AdminOutcome<Properties>> {
    return adminOutcomeOf(
      await this.send(options, (http, sent) => send(http, { ...sent, params: changeParametersOf(user) })),
    );
  }
}
