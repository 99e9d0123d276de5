import createFetch, { type Client } from 'openapi-fetch';
import type { Credentials } from './credentials.ts';
import type { operations, paths } from './openapi.ts';
import {
  type CheckOutcome,
  checkOutcomeOf,
  type Outcome,
  outcomeOf,
  type RecoveryOutcome,
  recoveryOutcomeOf,
} from './outcome.ts';
import {
  baseUrlOf,
  type CallOptions,
  defaultTimeoutMs,
  type FetchOptions,
  passwordHeader,
  type Sent,
  Transport,
} from './transport.ts';

type BodyOf<Operation extends 'createUser' | 'updateUser' | 'patchUser'> =
  operations[Operation]['requestBody']['content']['application/json'];

/** The body of a new user. Every other property is a custom property. */
export type NewUser = BodyOf<'createUser'>;

/** The body of an update. It replaces all custom properties; an omitted email or password stays as it is. */
export type RevisedUser = BodyOf<'updateUser'>;

/**
 * A JSON merge patch of a user (RFC 7396). Members that it does not name stay exactly as they are; null removes a
 * custom property, or a member of one.
 */
export type UserPatch = BodyOf<'patchUser'>;

/** A user's address, and the password for the `password` header; omit it where the service does not check one. */
export interface UserReference {
  readonly email: string;
  readonly password?: string;
}

export interface ClientOptions {
  /** The base URL of the service, including the path prefix of a proxy, if any. */
  readonly url: string | URL;
  /** Without credentials, requests have no Authorization header. */
  readonly credentials?: Credentials;
  /** Timeout of a call in milliseconds. Default: 35,000, a little more than the service's own limit. */
  readonly timeout?: number;
  /**
   * How often a call that changes nothing is repeated after a failed connection, 502, 503 or 504, within its timeout:
   * `getUser`, `checkPassword`, and `confirmVerification` without `ifMatch`. Default: 0.
   */
  readonly retries?: number;
  /** Sends the requests; the runtime's `fetch` by default. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** A user to change. */
export interface ChangeReference extends UserReference {
  /**
   * The `etag` of an earlier result: if the user has changed since, the problem is `stale_user`, and nothing changes.
   */
  readonly ifMatch?: string;
}

/** A user to whom a mail is sent. */
export interface MailReference extends ChangeReference {
  /** The `Accept-Language` header of the user's browser: the mail is in the first language that the service has. */
  readonly acceptLanguage?: string;
}

/** A user to read. */
export interface ReadReference extends UserReference {
  /** Whether no earlier write of the user, to which there was no answer or 503, may be applied after the response. */
  readonly settled?: boolean;
}

/** The new password of a user who forgot the former one, and the token or code of the mail. */
export interface RecoveryConfirmation extends Required<UserReference> {
  readonly token: string;
}

/** The present address of a user, and the token of a link about a new one. */
export interface ChangeToken {
  readonly email: string;
  readonly token: string;
}

type Header = { readonly 'If-Match'?: string };
type Send = (fetchOptions: FetchOptions, header: Header) => Sent;

/**
 * Calls the service. Every method resolves with the user or with the problem that the service reported. It rejects when
 * it gets no response of the service: with the reason of an aborted signal, a TimeoutError (a DOMException), the
 * TypeError of fetch, an UnexpectedResponse for the response of a proxy, or the error of the token function.
 */
export class LatchkeyClient {
  private readonly http: Client<paths>;
  private readonly transport: Transport;

  /** Throws a TypeError for an invalid URL, or one with credentials. */
  constructor({ url, credentials, timeout = defaultTimeoutMs, retries = 0, fetch }: ClientOptions) {
    // A redirect would send the password header to another server.
    this.http = createFetch<paths>({ baseUrl: baseUrlOf(url), redirect: 'error', ...(fetch && { fetch }) });
    this.transport = new Transport(credentials, timeout, retries);
  }

  /** Creates a user. */
  createUser(user: NewUser, options?: CallOptions): Promise<Outcome> {
    return this.call({}, options, (fetchOptions) => this.http.POST('/users', { ...fetchOptions, body: user }));
  }

  /** Reads a user. With a password, this also checks the password. */
  getUser({ email, settled = false, ...given }: ReadReference, options?: CallOptions): Promise<Outcome> {
    const preference = settled ? { Prefer: 'settled' } : {};
    const params = { query: { email } };
    const send: Send = (fetchOptions, header) =>
      this.http.GET('/users', { ...fetchOptions, params: { ...params, header: { ...header, ...preference } } });
    return this.call(given, options, send, true);
  }

  /** Updates a user, including its address if the body has another one. */
  updateUser({ email, ...given }: ChangeReference, user: RevisedUser, options?: CallOptions): Promise<Outcome> {
    return this.call(given, options, (fetchOptions, header) =>
      this.http.PUT('/users', { ...fetchOptions, params: { query: { email }, header }, body: user }),
    );
  }

  /** Changes the named parts of a user. Concurrent patches of different parts are all kept. */
  patchUser({ email, ...given }: ChangeReference, patch: UserPatch, options?: CallOptions): Promise<Outcome> {
    return this.call(given, options, ({ headers, ...fetchOptions }, header) =>
      this.http.PATCH('/users', {
        ...fetchOptions,
        headers: { ...headers, 'Content-Type': 'application/merge-patch+json' },
        params: { query: { email }, header },
        body: patch,
      }),
    );
  }

  /** Deletes a user, and returns it. */
  deleteUser({ email, ...given }: ChangeReference, options?: CallOptions): Promise<Outcome> {
    return this.call(given, options, (fetchOptions, header) =>
      this.http.DELETE('/users', { ...fetchOptions, params: { query: { email }, header } }),
    );
  }

  /** Sends a verification mail. */
  sendVerification({ email, acceptLanguage, ...given }: MailReference, options?: CallOptions): Promise<Outcome> {
    const language = acceptLanguage === undefined ? {} : { 'Accept-Language': acceptLanguage };
    return this.call(given, options, (fetchOptions, header) =>
      this.http.POST('/verify', { ...fetchOptions, params: { query: { email }, header: { ...header, ...language } } }),
    );
  }

  /** Verifies an address with the token of the verification mail. */
  confirmVerification(
    { email, token, ifMatch }: Omit<ChangeReference, 'password'> & { readonly token: string },
    options?: CallOptions,
  ): Promise<Outcome> {
    const condition = ifMatch === undefined ? {} : { ifMatch };
    const send: Send = (fetchOptions, header) =>
      this.http.GET('/verify', { ...fetchOptions, params: { query: { email, token }, header } });
    // A link can be followed twice, but with `ifMatch` the second time finds a later version.
    return this.call(condition, options, send, ifMatch === undefined);
  }

  /** Marks an address as not verified, and removes its token. */
  resetVerification({ email, ...given }: ChangeReference, options?: CallOptions): Promise<Outcome> {
    return this.call(given, options, (fetchOptions, header) =>
      this.http.POST('/verify/reset', { ...fetchOptions, params: { query: { email }, header } }),
    );
  }

  /** Checks a password, which is sent in the body and can thus be any text. Returns no user. */
  async checkPassword({ email, password }: Required<UserReference>, options?: CallOptions): Promise<CheckOutcome> {
    const body = { email: { address: email }, password };
    const send = (fetchOptions: FetchOptions) => this.http.POST('/users/check', { ...fetchOptions, body });
    return checkOutcomeOf(await this.transport.request(options, send, true));
  }

  /**
   * Requests a mail with which a forgotten password is replaced. `languages` are those of the person who asks, in order of
   * preference, as in Accept-Language. With `recovery.deliver: caller` the result has the token.
   */
  async requestRecovery(
    { email, languages }: { readonly email: string; readonly languages?: string },
    options?: CallOptions,
  ): Promise<RecoveryOutcome> {
    const header = languages === undefined ? {} : { 'Accept-Language': languages };
    const send = (fetchOptions: FetchOptions) =>
      this.http.POST('/recovery', { ...fetchOptions, params: { query: { email }, header } });
    return recoveryOutcomeOf(await this.transport.request(options, send, false));
  }

  /** Replaces a forgotten password. Returns no user. */
  async confirmRecovery(
    { email, token, password }: RecoveryConfirmation,
    options?: CallOptions,
  ): Promise<CheckOutcome> {
    const body = { email: { address: email }, token, password };
    const send = (fetchOptions: FetchOptions) => this.http.POST('/recovery/confirm', { ...fetchOptions, body });
    return checkOutcomeOf(await this.transport.request(options, send, false));
  }

  /** Confirms a new address with the token of the mail to it; `email` is the present one. Returns no user. */
  async confirmChange({ email, token }: ChangeToken, options?: CallOptions): Promise<CheckOutcome> {
    const params = { query: { email, token } };
    const send = (fetchOptions: FetchOptions) => this.http.POST('/change/confirm', { ...fetchOptions, params });
    return checkOutcomeOf(await this.transport.request(options, send, false));
  }

  /** Cancels a change of address with the token of the notice to the present one, `email`. Returns no user. */
  async cancelChange({ email, token }: ChangeToken, options?: CallOptions): Promise<CheckOutcome> {
    const params = { query: { email, token } };
    const send = (fetchOptions: FetchOptions) => this.http.POST('/change/cancel', { ...fetchOptions, params });
    return checkOutcomeOf(await this.transport.request(options, send, false));
  }

  private async call(
    { password, ifMatch }: Omit<ChangeReference, 'email'>,
    options: CallOptions | undefined,
    send: Send,
    isRepeatable = false,
  ): Promise<Outcome> {
    const secret = password === undefined ? {} : passwordHeader(password);
    const condition = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
    const sendWithPassword = (fetchOptions: FetchOptions) =>
      send({ ...fetchOptions, headers: { ...fetchOptions.headers, ...secret } }, condition);
    return outcomeOf(await this.transport.request(options, sendWithPassword, isRepeatable));
  }
}

/** Creates a client. Throws a TypeError for an invalid URL, or one with credentials. */
export const createClient = (options: ClientOptions): LatchkeyClient => new LatchkeyClient(options);
