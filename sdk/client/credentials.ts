/** An application of `auth.keys`, for a service whose `auth.type` is basic. */
export interface ApplicationKey {
  readonly application: string;
  readonly secret: string;
}

/**
 * A JWT, for a service whose `auth.type` is oauth: the token itself, or a function that supplies one for each call. Such
 * a function caches as it sees fit, and should give up when the signal of the call is aborted.
 */
export interface BearerToken {
  readonly token: string | ((signal: AbortSignal) => string | Promise<string>);
}

/** How a client proves that it may call the service. */
export type Credentials = ApplicationKey | BearerToken;

/** The bytes of a text in UTF-8, each as the character that a header or `btoa` takes for a byte. */
export const bytesAsText = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');

const visible = /^[\x21-\x7e]+$/;

const bearer = (token: string): string => {
  // The error of fetch would repeat it.
  if (!visible.test(token)) throw new TypeError('a token is visible ASCII characters only');
  return `Bearer ${token}`;
};

/** The value of the Authorization header. Rejects as the function of a token does, and with a TypeError for no token. */
export const authorizationOf = async (credentials: Credentials, signal: AbortSignal): Promise<string> => {
  if (!('token' in credentials))
    return `Basic ${btoa(bytesAsText(`${credentials.application}:${credentials.secret}`))}`;
  const { token } = credentials;
  return bearer(typeof token === 'string' ? token : await token(signal));
};
