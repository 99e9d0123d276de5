/** Who is calling: the application of a Basic key, or the subject of a token (undefined when it names none). */
export interface Client {
  readonly name: string | undefined;
}

/** Decides about the Authorization header of every protected request. */
export interface Authenticator {
  /**
   * The client, or undefined when the header doesn't prove one; `header` as Node.js received it. A promise where
   * something has to be fetched first; it throws, or rejects with, a Fault where that can't be had.
   */
  authenticate(header: string | undefined): Client | undefined | Promise<Client | undefined>;
  /** The WWW-Authenticate challenge of a 401 (RFC 9110, section 11.6.1). */
  challenge(header: string | undefined): string;
}

/** An authenticator that knows all it needs. */
export interface PromptAuthenticator extends Authenticator {
  authenticate(header: string | undefined): Client | undefined;
}

/** What follows a scheme in an Authorization header; schemes are compared without regard to case. */
export const credentialsOf = (scheme: string, header: string | undefined): string | undefined => {
  if (header === undefined || header.length <= scheme.length || header[scheme.length] !== ' ') return undefined;
  return header.slice(0, scheme.length).toLowerCase() === scheme ? header.slice(scheme.length + 1).trim() : undefined;
};

/** Where no `auth` block is configured: every protected request is denied (specification, section 5). */
export const denyAll: PromptAuthenticator = {
  authenticate: () => undefined,
  challenge: () => 'Basic realm="latchkey", charset="UTF-8"',
};
