import createFetch, { type Client } from 'openapi-fetch';
import { authorizationOf, bytesAsText, type Credentials } from './credentials.ts';
import type { operations, paths } from './openapi.ts';
import { type Outcome, outcomeOf, parsed, unsendablePassword } from './outcome.ts';

type BodyOf<Operation extends 'createUser' | 'updateUser'> =
  operations[Operation]['requestBody']['content']['application/json'];

/** The body of a new user; every further member is a custom property. */
export type NewUser = BodyOf<'createUser'>;

/** The body of an update: the custom properties are replaced, and what is left out of the rest stays. */
export type RevisedUser = BodyOf<'updateUser'>;

/** A user by address, with the password for the `password` header; without one where the service checks none. */
export interface UserReference {
  readonly email: string;
  readonly password?: string;
}

export interface ClientOptions {
  /** Where the service is, with the path under which a proxy may have put it. */
  readonly url: string | URL;
  /** Left out, calls carry no Authorization header. */
  readonly credentials?: Credentials;
  /** How long a call may take, in milliseconds: 35 seconds by default, a little more than the service takes at most. */
  readonly timeout?: number;
  /** What sends the requests; the `fetch` of the runtime by default. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call early: it then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Another timeout than the client's, in milliseconds. */
  readonly timeout?: number;
}

const defaultTimeout = 35_000;

/** What a call adds to its parameters. */
interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly parseAs: 'text';
}

type Header = { readonly password?: string };
type Send = (sent: Sent, header: Header) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

// What fetch refuses in words that repeat it (RFC 9110, section 5.5, as Node.js reads it).
const unsendable = /[^\t\x20-\x7e\x80-\xff]/;

/** The address without what fetch would refuse in words that repeat it. */
const baseOf = (url: string | URL): string => {
  if (!URL.canParse(String(url)))
    throw new TypeError('the url of a client is a whole one: http or https, host and path');
  const { username, password, origin, pathname, protocol } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError('the url of a client is one of http or https');
  if (username !== '' || password !== '') throw new TypeError('give credentials beside the url of a client, not in it');
  return origin + pathname.replace(/\/+$/, '');
};

/**
 * Calls the service. Every method resolves with the user or with the problem that the service reported; it rejects when
 * there is no answer: with the reason of an aborted signal, a TimeoutError (a DOMException), the TypeError of fetch, an
 * UnexpectedAnswer of somebody in between, or the error of the function that supplies tokens.
 * HTTP removes spaces from both ends of a header, so that a password for a header can't begin or end with one.
 */
export class LatchkeyClient {
  private readonly http: Client<paths>;
  private readonly timeout: number;
  private readonly credentials: Credentials | undefined;

  /** Throws a TypeError for an address that is none, or that holds credentials. */
  constructor({ url, credentials, timeout = defaultTimeout, fetch }: ClientOptions) {
    // A redirect would take the password header along, to whomever it names.
    this.http = createFetch<paths>({ baseUrl: baseOf(url), redirect: 'error', ...(fetch && { fetch }) });
    this.credentials = credentials;
    this.timeout = timeout;
  }

  /** Creates a user. */
  createUser(user: NewUser, options?: CallOptions): Promise<Outcome> {
    return this.call(undefined, options, (sent) => this.http.POST('/users', { ...sent, body: user }));
  }

  /** Reads a user; with the password this is also how it is checked. */
  getUser({ email, password }: UserReference, options?: CallOptions): Promise<Outcome> {
    return this.call(password, options, (sent, header) =>
      this.http.GET('/users', { ...sent, params: { query: { email }, header } }),
    );
  }

  /** Updates the user of an address, also to the new address that the body may hold. */
  updateUser({ email, password }: UserReference, user: RevisedUser, options?: CallOptions): Promise<Outcome> {
    return this.call(password, options, (sent, header) =>
      this.http.PUT('/users', { ...sent, params: { query: { email }, header }, body: user }),
    );
  }

  /** Removes a user, and returns what was removed. */
  deleteUser({ email, password }: UserReference, options?: CallOptions): Promise<Outcome> {
    return this.call(password, options, (sent, header) =>
      this.http.DELETE('/users', { ...sent, params: { query: { email }, header } }),
    );
  }

  /** Sends a verification mail. */
  sendVerification({ email, password }: UserReference, options?: CallOptions): Promise<Outcome> {
    return this.call(password, options, (sent, header) =>
      this.http.POST('/verify', { ...sent, params: { query: { email }, header } }),
    );
  }

  /** Verifies an address with the token of its mail. */
  confirmVerification(
    { email, token }: { readonly email: string; readonly token: string },
    options?: CallOptions,
  ): Promise<Outcome> {
    return this.call(undefined, options, (sent) =>
      this.http.GET('/verify', { ...sent, params: { query: { email, token } } }),
    );
  }

  /** Marks an address as not verified, and forgets its token. */
  resetVerification({ email, password }: UserReference, options?: CallOptions): Promise<Outcome> {
    return this.call(password, options, (sent, header) =>
      this.http.POST('/verify/reset', { ...sent, params: { query: { email }, header } }),
    );
  }

  private async call(password: string | undefined, options: CallOptions = {}, send: Send): Promise<Outcome> {
    const header = password === undefined ? {} : { password: bytesAsText(password) };
    if (unsendable.test(header.password ?? '')) return unsendablePassword;
    const limit = AbortSignal.timeout(options.timeout ?? this.timeout);
    const signal = options.signal === undefined ? limit : AbortSignal.any([options.signal, limit]);
    signal.throwIfAborted();
    const headers: Record<string, string> =
      this.credentials === undefined ? {} : { Authorization: await authorizationOf(this.credentials, signal) };
    const { data, error, response } = await send({ headers, signal, parseAs: 'text' }, header);
    return outcomeOf(response.status, response.ok ? parsed(data) : error);
  }
}

/** A client of the service at an address. Throws a TypeError for an address that is none, or that holds credentials. */
export const createClient = (options: ClientOptions): LatchkeyClient => new LatchkeyClient(options);
