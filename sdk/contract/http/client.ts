import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { ApiResponse, expectValidResponse, type UserJson } from './api-response.ts';
import type { SecretLeakDetector } from './secret-leak-detector.ts';

/** The parts of a request; omitted parts are not sent. */
export interface Sent {
  readonly query?: string | Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The `password` header, sent as UTF-8. */
  readonly password?: string | undefined;
  /** A body as JSON. */
  readonly body?: unknown;
  /** A body to send unchanged. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  /** Replaces the Authorization header of the client; null sends none. */
  readonly authorization?: string | null;
}

/** An existing user, and its password. */
export interface Account {
  readonly address: string;
  readonly password: string;
  readonly user: UserJson;
}

export const basic = (application: string, secret: string): string =>
  `Basic ${Buffer.from(`${application}:${secret}`).toString('base64')}`;

/** Encodes UTF-8 as Latin-1, the form that headers of fetch take. */
export const utf8Header = (text: string): string => Buffer.from(text).toString('latin1');

let addresses = 0;

/** A unique address. */
export const newAddress = (): string => {
  addresses += 1;
  return `user-${addresses}@example.com`;
};

/** A unique password. */
export const newPassword = (): string => `a password ${randomUUID()}`;

const queryOf = (query: Sent['query']): string => {
  if (query === undefined) return '';
  return `?${typeof query === 'string' ? query : new URLSearchParams(query).toString()}`;
};

const memberOf = (value: unknown, name: string): unknown => {
  const members: unknown = Object(value);
  return typeof members === 'object' && members !== null
    ? new Map<string, unknown>(Object.entries(members)).get(name)
    : undefined;
};

/** A response without its content, for a comparison with the OpenAPI document. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** The media type of the body; undefined without one. */
  readonly type: string | undefined;
  /** The code of a problem document. */
  readonly code: string | undefined;
}

/** Calls the service as a client application does, and checks every response with `expectValidResponse`. */
export class Client {
  private readonly differentResponses = new Map<string, Received>();

  constructor(
    readonly url: string,
    /** The Authorization header. */
    readonly credentials: string,
    private readonly leakDetector: SecretLeakDetector,
  ) {}

  /** The responses so far, equal ones once. */
  get received(): readonly Received[] {
    return [...this.differentResponses.values()];
  }

  get(path: string, sent: Sent = {}): Promise<ApiResponse> {
    return this.send('GET', path, sent);
  }

  post(path: string, sent: Sent = {}): Promise<ApiResponse> {
    return this.send('POST', path, sent);
  }

  put(path: string, sent: Sent = {}): Promise<ApiResponse> {
    return this.send('PUT', path, sent);
  }

  delete(path: string, sent: Sent = {}): Promise<ApiResponse> {
    return this.send('DELETE', path, sent);
  }

  async send(method: string, path: string, sent: Sent = {}): Promise<ApiResponse> {
    const headers = this.headersOf(sent);
    const body = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
    this.keepSecrets(headers, sent.body);
    const response = await fetch(`${this.url}${path}${queryOf(sent.query)}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    });
    const received = new ApiResponse(response.status, response.headers, await response.text());
    this.record(method, path, received);
    return this.checked(received, method, path);
  }

  /** Checks a response, also one that was received another way. */
  checked(response: ApiResponse, method: string, path: string): ApiResponse {
    expectValidResponse(response, method, path);
    if (response.status >= 400) {
      this.leakDetector.addOutput(`${response.text} ${JSON.stringify([...response.headers])}`);
    } else if (response.headers.get('content-type') === 'application/json' && method !== 'HEAD') {
      this.leakDetector.addSecret(memberOf(response.json, 'password'));
      this.leakDetector.addSecret(memberOf(memberOf(response.json, 'email'), 'verificationToken'));
    }
    return response;
  }

  /** Creates a user, by default with a unique address and password. */
  async create(given: Parameters<Client['postUser']>[0] = {}): Promise<Account> {
    const { response, ...account } = await this.postUser(given);
    return { ...account, user: response.user };
  }

  /** The same where the service may hide passwords, so that the response has no complete user. */
  async postUser(
    given: { address?: string; password?: string; properties?: object } = {},
  ): Promise<Omit<Account, 'user'> & { readonly response: ApiResponse }> {
    const address = given.address ?? newAddress();
    const password = given.password ?? newPassword();
    const body = { email: { address }, password, ...given.properties };
    const response = await this.post('/users', { body });
    expect(response.status, response.text).to.equal(201);
    return { address, password, response };
  }

  /** Reads the stored user. */
  async read({ address, password }: Account | Omit<Account, 'user'>): Promise<ApiResponse> {
    const response = await this.get('/users', { query: { email: address }, password });
    expect(response.status, response.text).to.equal(200);
    return response;
  }

  /** Requests a verification mail. Resolves with the stored token. */
  async token({ address, password }: Account): Promise<string> {
    const response = await this.post('/verify', { query: { email: address }, password });
    expect(response.status, response.text).to.equal(200);
    const { verificationToken } = response.user.email;
    if (verificationToken === null) throw new Error('no token was stored');
    return verificationToken;
  }

  private record(method: string, path: string, response: ApiResponse): void {
    const { status, headers, text } = response;
    const type = text === '' ? undefined : headers.get('content-type')?.split(';')[0];
    const code = type === 'application/problem+json' ? response.problem.code : undefined;
    const received = { method, path: path.replace(/\?.*/, ''), status, type, code };
    this.differentResponses.set(JSON.stringify(received), received);
  }

  private headersOf({ authorization = this.credentials, password, body, raw, headers }: Sent): Headers {
    const all = new Headers();
    if (authorization !== null) all.set('Authorization', authorization);
    if (password !== undefined) all.set('password', utf8Header(password));
    if (body !== undefined || raw !== undefined) all.set('Content-Type', 'application/json');
    for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value);
    return all;
  }

  private keepSecrets(headers: Headers, body: unknown): void {
    this.leakDetector.addSecret(headers.get('authorization')?.replace(/^\w+ /, ''));
    this.leakDetector.addSecret(headers.get('password'));
    this.leakDetector.addSecret(headers.get('password*')?.replace(/^.*'/, ''));
    this.leakDetector.addSecret(memberOf(body, 'password'));
  }
}
