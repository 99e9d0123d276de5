/** An entry of `auth.keys`, for a service whose `auth.type` is `basic`. */
export interface ApplicationKey {
  readonly application: string;
  readonly secret: string;
}

/**
 * A JWT, for a service whose `auth.type` is `oauth`: the token, or a function that is called for the token of each
 * call. The function does its own caching, and should stop when the signal of the call is aborted.
 */
export interface BearerToken {
  readonly token: string | ((signal: AbortSignal) => string | Promise<string>);
}

/** How a client authenticates. */
export type Credentials = ApplicationKey | BearerToken;

/** Encodes a text as UTF-8 with one character per byte, the form that headers and `btoa` take. */
export const utf8AsLatin1 = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');

const visibleAscii = /^[\x21-\x7e]+$/;

const bearer = (token: string): string => {
  // The error of fetch would contain the token.
  if (!visibleAscii.test(token)) throw new TypeError('a token may contain visible ASCII characters only');
  return `Bearer ${token}`;
};

/**
 * The value of the Authorization header. Rejects when the token function does, and with a TypeError for a bad token.
 */
export const authorizationOf = async (credentials: Credentials, signal: AbortSignal): Promise<string> => {
  if (!('token' in credentials))
    return `Basic ${btoa(utf8AsLatin1(`${credentials.application}:${credentials.secret}`))}`;
  const { token } = credentials;
  return bearer(typeof token === 'string' ? token : await token(signal));
};
