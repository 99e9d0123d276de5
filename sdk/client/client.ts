import createFetch, { type Client } from 'openapi-fetch';
import type { paths } from './openapi.ts';
import {
  type CheckOutcome,
  checkOutcomeOf,
  type Outcome,
  outcomeOf,
  type RecoveryOutcome,
  recoveryOutcomeOf,
  type SignUpOutcome,
  signUpOutcomeOf,
} from './outcome.ts';
import {
  type ChangeReference,
  type ChangeToken,
  type Language,
  languageHeader,
  type MailReference,
  membersOf,
  membersOfKey,
  type PasswordReference,
  queryOf,
  type ReadReference,
  type RecoveryConfirmation,
  type RecoveryRequest,
  type UserKey,
} from './references.ts';
import {
  baseUrlOf,
  type CallOptions,
  type ClientOptions,
  type FetchOptions,
  passwordHeader,
  type Sent,
  Transport,
} from './transport.ts';
import type { AnyProperties, NewUser, RevisedUser, UserPatch } from './users.ts';

type Header = { readonly 'If-Match'?: string };
type Send = (fetchOptions: FetchOptions, header: Header) => Sent;

/**
 * Calls the service. Every method resolves with the user or with the problem that the service reported. It rejects when
 * it gets no response of the service: with the reason of an aborted signal, a TimeoutError (a DOMException), the
 * TypeError of fetch, an UnexpectedResponse for the response of a proxy, or the error of the token function.
 * `Properties` are the custom properties of users.
 */
export class LatchkeyClient<Properties extends object = AnyProperties> {
  private readonly http: Client<paths>;
  private readonly transport: Transport;

  /** Throws a TypeError for an invalid URL, or one with credentials. */
  constructor({ url, fetch, ...options }: ClientOptions) {
    // A redirect would send the password header to another server.
    this.http = createFetch<paths>({ baseUrl: baseUrlOf(url), redirect: 'error', ...(fetch && { fetch }) });
    this.transport = new Transport(options);
  }

  /** Creates a user. Where the service makes every sign-up quiet (`privacy.quietSignUp`), call `signUp` instead. */
  createUser(user: NewUser<Properties>, options?: CallOptions): Promise<Outcome<Properties>> {
    const { email, password } = user;
    return this.call({}, options, (fetchOptions) =>
      this.http.POST('/users', { ...fetchOptions, body: { ...membersOf(user), email, password } }),
    );
  }

  /**
   * Creates a user with `Prefer: quiet`: the result is the same whether the address has an account or not, and a mail to it
   * says which. Needs `signUp.quiet` of the service.
   */
  async signUp(
    user: NewUser<Properties>,
    { acceptLanguage, ...options }: CallOptions & Language = {},
  ): Promise<SignUpOutcome> {
    const { email, password } = user;
    const params = { header: { ...languageHeader(acceptLanguage), Prefer: 'quiet' } };
    const body = { ...membersOf(user), email, password };
    const send = (fetchOptions: FetchOptions) => this.http.POST('/users', { ...fetchOptions, params, body });
    return signUpOutcomeOf(await this.transport.request(options, send, false));
  }

  /** Reads a user. With a password, this also checks the password. */
  getUser(user: ReadReference, options?: CallOptions): Promise<Outcome<Properties>> {
    const preference = user.settled === true ? { Prefer: 'settled' } : {};
    const params = { query: queryOf(user) };
    const send: Send = (fetchOptions, header) =>
      this.http.GET('/users', { ...fetchOptions, params: { ...params, header: { ...header, ...preference } } });
    return this.call(user, options, send, true);
  }

  /** Updates a user, including its address if the body has another one. */
  updateUser(
    user: MailReference,
    revised: RevisedUser<Properties>,
    options?: CallOptions,
  ): Promise<Outcome<Properties>> {
    const language = languageHeader(user.acceptLanguage);
    return this.call(user, options, (fetchOptions, header) => {
      const params = { query: queryOf(user), header: { ...header, ...language } };
      const body = { ...membersOf(revised), email: revised.email };
      return this.http.PUT('/users', { ...fetchOptions, params, body });
    });
  }

  /** Changes the named parts of a user. Concurrent patches of different parts are all kept. */
  patchUser(user: MailReference, patch: UserPatch<Properties>, options?: CallOptions): Promise<Outcome<Properties>> {
    const language = languageHeader(user.acceptLanguage);
    return this.call(user, options, ({ headers, ...fetchOptions }, header) =>
      this.http.PATCH('/users', {
        ...fetchOptions,
        headers: { ...headers, 'Content-Type': 'application/merge-patch+json' },
        params: { query: queryOf(user), header: { ...header, ...language } },
        body: membersOf(patch),
      }),
    );
  }

  /** Deletes a user, and returns it. */
  deleteUser(user: ChangeReference, options?: CallOptions): Promise<Outcome<Properties>> {
    return this.call(user, options, (fetchOptions, header) =>
      this.http.DELETE('/users', { ...fetchOptions, params: { query: queryOf(user), header } }),
    );
  }

  /** Sends a verification mail. */
  sendVerification(user: MailReference, options?: CallOptions): Promise<Outcome<Properties>> {
    const language = languageHeader(user.acceptLanguage);
    return this.call(user, options, (fetchOptions, header) =>
      this.http.POST('/verify', {
        ...fetchOptions,
        params: { query: queryOf(user), header: { ...header, ...language } },
      }),
    );
  }

  /** Verifies an address with the token or code of the verification mail. */
  confirmVerification(
    { token, ifMatch, ...user }: UserKey & { readonly token: string; readonly ifMatch?: string },
    options?: CallOptions,
  ): Promise<Outcome<Properties>> {
    const condition = ifMatch === undefined ? {} : { ifMatch };
    const send: Send = (fetchOptions, header) =>
      this.http.GET('/verify', { ...fetchOptions, params: { query: { ...queryOf(user), token }, header } });
    // A link can be followed, and a code be sent, twice, but with `ifMatch` the second time finds a later version.
    return this.call(condition, options, send, ifMatch === undefined);
  }

  /** Marks an address as not verified, and removes its token. */
  resetVerification(user: ChangeReference, options?: CallOptions): Promise<Outcome<Properties>> {
    return this.call(user, options, (fetchOptions, header) =>
      this.http.POST('/verify/reset', { ...fetchOptions, params: { query: queryOf(user), header } }),
    );
  }

  /** Checks a password, which is sent in the body and can thus be any text. Returns no user. */
  async checkPassword({ password, ...user }: PasswordReference, options?: CallOptions): Promise<CheckOutcome> {
    const body = { ...membersOfKey(user), password };
    const send = (fetchOptions: FetchOptions) => this.http.POST('/users/check', { ...fetchOptions, body });
    return checkOutcomeOf(await this.transport.request(options, send, true));
  }

  /**
   * Requests a mail with which a forgotten password is replaced. With `recovery.deliver: caller` the result has the
   * token.
   */
  async requestRecovery(user: RecoveryRequest, options?: CallOptions): Promise<RecoveryOutcome> {
    const header = languageHeader(user.acceptLanguage);
    const send = (fetchOptions: FetchOptions) =>
      this.http.POST('/recovery', { ...fetchOptions, params: { query: queryOf(user), header } });
    return recoveryOutcomeOf(await this.transport.request(options, send, false));
  }

  /** Replaces a forgotten password. Returns no user. */
  async confirmRecovery(
    { token, password, ...user }: RecoveryConfirmation,
    options?: CallOptions,
  ): Promise<CheckOutcome> {
    const body = { ...membersOfKey(user), token, password };
    const send = (fetchOptions: FetchOptions) => this.http.POST('/recovery/confirm', { ...fetchOptions, body });
    return checkOutcomeOf(await this.transport.request(options, send, false));
  }

  /** Confirms a new address with the token of the mail to it; an `email` is the present one. Returns no user. */
  async confirmChange({ token, ...user }: ChangeToken, options?: CallOptions): Promise<CheckOutcome> {
    const params = { query: { ...queryOf(user), token } };
    const send = (fetchOptions: FetchOptions) => this.http.POST('/change/confirm', { ...fetchOptions, params });
    return checkOutcomeOf(await this.transport.request(options, send, false));
  }

  /** Cancels a change of address with the token of the notice to the present one. Returns no user. */
  async cancelChange({ token, ...user }: ChangeToken, options?: CallOptions): Promise<CheckOutcome> {
    const params = { query: { ...queryOf(user), token } };
    const send = (fetchOptions: FetchOptions) => this.http.POST('/change/cancel', { ...fetchOptions, params });
    return checkOutcomeOf(await this.transport.request(options, send, false));
  }

  private async call(
    { password, ifMatch }: { readonly password?: string; readonly ifMatch?: string },
    options: CallOptions | undefined,
    send: Send,
    isRepeatable = false,
  ): Promise<Outcome<Properties>> {
    const secret = password === undefined ? {} : passwordHeader(password);
    const condition = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
    const sendWithPassword = (fetchOptions: FetchOptions) =>
      send({ ...fetchOptions, headers: { ...fetchOptions.headers, ...secret } }, condition);
    return outcomeOf(await this.transport.request(options, sendWithPassword, isRepeatable));
  }
}

/**
 * Creates a client, for users with custom properties of any type or, as in `createClient<{ plan: string }>(options)`, of
 * one type. Throws a TypeError for an invalid URL, or one with credentials.
 */
export const createClient = <Properties extends object = AnyProperties>(
  options: ClientOptions,
): LatchkeyClient<Properties> => new LatchkeyClient(options);
