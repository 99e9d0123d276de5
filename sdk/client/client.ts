import createFetch, { type Client } from 'openapi-fetch';
import { authorizationOf, type Credentials, utf8AsLatin1 } from './credentials.ts';
import type { operations, paths } from './openapi.ts';
import { type CheckOutcome, checkOutcomeOf, type Outcome, outcomeOf, parseJson } from './outcome.ts';

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
  /** Sends the requests; the runtime's `fetch` by default. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Overrides the client's timeout, in milliseconds. */
  readonly timeout?: number;
}

const defaultTimeoutMs = 35_000;

/** The options of `openapi-fetch` that every call sets. */
interface FetchOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly parseAs: 'text';
}

/** A user to change. */
export interface ChangeReference extends UserReference {
  /**
   * The `etag` of an earlier result: if the user has changed since, the problem is `stale_user`, and nothing changes.
   */
  readonly ifMatch?: string;
}

/** A user to read. */
export interface ReadReference extends UserReference {
  /** Whether no earlier write of the user, to which there was no answer or 503, may be applied after the response. */
  readonly settled?: boolean;
}

type Header = { readonly 'If-Match'?: string };
type Sent = Promise<{ data?: unknown; error?: unknown; response: Response }>;
type Send = (fetchOptions: FetchOptions, header: Header) => Sent;

// What a header cannot carry as it is (RFC 9110, section 5.5): white space at its ends, and control characters.
const needsEncoding = /^[\t ]|[\t ]$|[^\t\x20-\x7e\x80-\xff]/;

/** The header of a password: `password`, or `password*` with the percent-encoded bytes (RFC 8187). */
const passwordHeader = (password: string): Readonly<Record<string, string>> => {
  const bytes = utf8AsLatin1(password);
  if (!needsEncoding.test(bytes)) return { password: bytes };
  const encoded = Array.from(bytes, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
  return { 'password*': `UTF-8''${encoded}` };
};

/** Validates the base URL here, because the error of fetch would contain the credentials in it. */
const baseUrlOf = (url: string | URL): string => {
  if (!URL.canParse(String(url)))
    throw new TypeError('the url of a client must be absolute: http or https, host and path');
  const { username, password, origin, pathname, protocol } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError('the url of a client must start with http: or https:');
  if (username !== '' || password !== '')
    throw new TypeError('pass credentials as an option of the client, not in its url');
  return origin + pathname.replace(/\/+$/, '');
};

/**
 * Calls the service. Every method resolves with the user or with the problem that the service reported. It rejects when
 * it gets no response of the service: with the reason of an aborted signal, a TimeoutError (a DOMException), the
 * TypeError of fetch, an UnexpectedResponse for the response of a proxy, or the error of the token function. HTTP trims
 * header values, so a password in the `password` header cannot begin or end with a space; `checkPassword` sends it in
 * the body.
 */
export class LatchkeyClient {
  private readonly http: Client<paths>;
  private readonly timeoutMs: number;
  private readonly credentials: Credentials | undefined;

  /** Throws a TypeError for an invalid URL, or one with credentials. */
  constructor({ url, credentials, timeout = defaultTimeoutMs, fetch }: ClientOptions) {
    // A redirect would send the password header to another server.
    this.http = createFetch<paths>({ baseUrl: baseUrlOf(url), redirect: 'error', ...(fetch && { fetch }) });
    this.credentials = credentials;
    this.timeoutMs = timeout;
  }

  /** Creates a user. */
  createUser(user: NewUser, options?: CallOptions): Promise<Outcome> {
    return this.call({}, options, (fetchOptions) => this.http.POST('/users', { ...fetchOptions, body: user }));
  }

  /** Reads a user. With a password, this also checks the password. */
  getUser({ email, settled = false, ...given }: ReadReference, options?: CallOptions): Promise<Outcome> {
    const preference = settled ? { Prefer: 'settled' } : {};
    return this.call(given, options, (fetchOptions, header) =>
      this.http.GET('/users', { ...fetchOptions, params: { query: { email }, header: { ...header, ...preference } } }),
    );
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
  sendVerification({ email, ...given }: ChangeReference, options?: CallOptions): Promise<Outcome> {
    return this.call(given, options, (fetchOptions, header) =>
      this.http.POST('/verify', { ...fetchOptions, params: { query: { email }, header } }),
    );
  }

  /** Verifies an address with the token of the verification mail. */
  confirmVerification(
    { email, token, ifMatch }: Omit<ChangeReference, 'password'> & { readonly token: string },
    options?: CallOptions,
  ): Promise<Outcome> {
    const condition = ifMatch === undefined ? {} : { ifMatch };
    return this.call(condition, options, (fetchOptions, header) =>
      this.http.GET('/verify', { ...fetchOptions, params: { query: { email, token }, header } }),
    );
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
    const [status, problem] = await this.request(options, send);
    return checkOutcomeOf(status, problem);
  }

  private async call(
    { password, ifMatch }: Omit<ChangeReference, 'email'>,
    options: CallOptions | undefined,
    send: Send,
  ): Promise<Outcome> {
    const secret = password === undefined ? {} : passwordHeader(password);
    const condition = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
    const sendWithPassword = (fetchOptions: FetchOptions) =>
      send({ ...fetchOptions, headers: { ...fetchOptions.headers, ...secret } }, condition);
    return outcomeOf(...(await this.request(options, sendWithPassword)));
  }

  /** The status of the response, its decoded body, and its entity tag. */
  private async request(
    options: CallOptions = {},
    send: (fetchOptions: FetchOptions) => Sent,
  ): Promise<[status: number, body: unknown, etag: string]> {
    const limit = AbortSignal.timeout(options.timeout ?? this.timeoutMs);
    const signal = options.signal === undefined ? limit : AbortSignal.any([options.signal, limit]);
    signal.throwIfAborted();
    const headers: Record<string, string> =
      this.credentials === undefined ? {} : { Authorization: await authorizationOf(this.credentials, signal) };
    const { data, error, response } = await send({ headers, signal, parseAs: 'text' });
    return [response.status, response.ok ? parseJson(data) : error, response.headers.get('ETag') ?? ''];
  }
}

/** Creates a client. Throws a TypeError for an invalid URL, or one with credentials. */
export const createClient = (options: ClientOptions): LatchkeyClient => new LatchkeyClient(options);
