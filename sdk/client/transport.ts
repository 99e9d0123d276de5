import { type ApplicationKey, authorizationOf, type Credentials, utf8AsLatin1 } from './credentials.ts';

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
  /** The header that `throttle.clientHeader` names. Default: X-Client-Address. */
  readonly clientHeader?: string;
  /** The IP address of the person for whom a call is made, where the call does not name it; see `CallOptions`. */
  readonly clientAddress?: () => string | undefined;
}

export interface AdminClientOptions
  extends Omit<ClientOptions, 'credentials' | 'retries' | 'clientHeader' | 'clientAddress'> {
  /** An entry of `admin.keys`. */
  readonly credentials: ApplicationKey;
  /** How often a call that only reads is repeated after a failed connection, 502, 503 or 504. Default: 0. */
  readonly retries?: number;
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Overrides the client's timeout, in milliseconds. */
  readonly timeout?: number;
  /**
   * The IP address of the person for whom the call is made, so that the throttle counts wrong passwords for it and not
   * for the calling program. It is sent in the `clientHeader`.
   */
  readonly clientAddress?: string;
}

/** The options of `openapi-fetch` that every call sets. */
export interface FetchOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly parseAs: 'text';
}

/** What `openapi-fetch` resolves with. */
export type Sent = Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** A response with its decoded body; undefined if it is not JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Empty if there is none. */
  readonly etag: string;
  /** The header Retry-After in seconds; undefined without it. */
  readonly retryAfterSeconds: number | undefined;
}

/** The default timeout of a call in milliseconds, a little more than the service's own limit. */
const defaultTimeoutMs = 35_000;

/** Validates the base URL here, because the error of fetch would contain the credentials in it. */
export const baseUrlOf = (url: string | URL): string => {
  if (!URL.canParse(String(url)))
    throw new TypeError('the url of a client must be absolute: http or https, host and path');
  const { username, password, origin, pathname, protocol } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError('the url of a client must start with http: or https:');
  if (username !== '' || password !== '')
    throw new TypeError('pass credentials as an option of the client, not in its url');
  return origin + pathname.replace(/\/+$/, '');
};

// What a header cannot carry as it is (RFC 9110, section 5.5): white space at its ends, and control characters.
const needsEncoding = /^[\t ]|[\t ]$|[^\t\x20-\x7e\x80-\xff]/;

/** The header of a password: `password`, or `password*` with the percent-encoded bytes (RFC 8187). */
export const passwordHeader = (password: string): Readonly<Record<string, string>> => {
  const bytes = utf8AsLatin1(password);
  if (!needsEncoding.test(bytes)) return { password: bytes };
  const encoded = Array.from(bytes, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
  return { 'password*': `UTF-8''${encoded}` };
};

const parseJson = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
};

/** The service sends seconds (RFC 9110, section 10.2.3); a proxy may send a date, which is ignored. */
const secondsIn = (retryAfter: string | null): number | undefined =>
  retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;

const unavailable: readonly number[] = [502, 503, 504];
const minDelayMs = 100;
const maxDelayMs = 5_000;

/** Exponential backoff with full jitter, but at least what the service asks for. */
const delayMsOf = (attempt: number, retryAfterSeconds = 0): number =>
  Math.max(retryAfterSeconds * 1_000, Math.random() * Math.min(maxDelayMs, minDelayMs * 2 ** attempt));

const sleep = (durationMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, durationMs);
    signal.addEventListener('abort', end);
  });

/** Sends requests with the credentials, within the timeout, and repeats those that change nothing. */
export class Transport {
  constructor(private readonly options: Omit<ClientOptions, 'url' | 'fetch'>) {}

  /** Resolves with the last response. Rejects if there is none: with the error of the connection, or of the signal. */
  async request(
    { timeout = this.options.timeout ?? defaultTimeoutMs, signal: given, clientAddress }: CallOptions = {},
    send: (fetchOptions: FetchOptions) => Sent,
    isRepeatable: boolean,
  ): Promise<Answer> {
    const limit = AbortSignal.timeout(timeout);
    const signal = given === undefined ? limit : AbortSignal.any([given, limit]);
    const deadlineMs = performance.now() + timeout;
    const retries = isRepeatable ? (this.options.retries ?? 0) : 0;
    const address = clientAddress ?? this.options.clientAddress?.();
    for (let attempt = 0; ; attempt++) {
      signal.throwIfAborted();
      let retryAfterSeconds: number | undefined;
      try {
        const answer = await this.attempt(signal, address, send);
        ({ retryAfterSeconds } = answer);
        const isLate = performance.now() + (retryAfterSeconds ?? 0) * 1_000 >= deadlineMs;
        if (attempt >= retries || isLate || !unavailable.includes(answer.status)) return answer;
      } catch (error) {
        if (attempt >= retries || signal.aborted) throw error;
      }
      await sleep(delayMsOf(attempt, retryAfterSeconds), signal);
    }
  }

  private async attempt(
    signal: AbortSignal,
    address: string | undefined,
    send: (fetchOptions: FetchOptions) => Sent,
  ): Promise<Answer> {
    const { credentials, clientHeader = 'X-Client-Address' } = this.options;
    const headers: Record<string, string> = {
      ...(credentials && { Authorization: await authorizationOf(credentials, signal) }),
      ...(address !== undefined && { [clientHeader]: address }),
    };
    const { data, error, response } = await send({ headers, signal, parseAs: 'text' });
    return {
      status: response.status,
      body: response.ok ? parseJson(data) : error,
      etag: response.headers.get('ETag') ?? '',
      retryAfterSeconds: secondsIn(response.headers.get('Retry-After')),
    };
  }
}
