import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { LatchkeyClient, User } from 'latchkey/client';

/** What a session remembers of the user who signed in. */
interface Session {
  /** The foreign key of everything that the shop stores of a user: it stays the same under another address. */
  readonly userId: string;
  /** `passwordTime` at sign-in: the session ends once it differs. */
  readonly passwordTime: number | undefined;
  /** The number of times that the user had signed out everywhere. */
  readonly generation: number;
}

const name = 'session';
const lifetimeSeconds = 14 * 24 * 3_600;

/** In memory, for the example. Several processes share them in Redis or in the database of the application. */
const sessions = new Map<string, Session>();

const generationOf = (user: User): number => Number(user.sessionGeneration ?? 0);

const sessionOf = (user: User): Session => ({
  userId: user.id ?? '',
  passwordTime: user.passwordTime,
  generation: generationOf(user),
});

/** Starts a session with a new id (OWASP: renew the id at sign-in), and ends the one that the browser had. */
export const startSession = (context: Context, user: User): void => {
  endSession(context);
  const id = randomBytes(32).toString('base64url');
  sessions.set(id, sessionOf(user));
  const secure = new URL(context.req.url).protocol === 'https:';
  // Lax: other sites cannot post forms in the name of the user. Behind a TLS proxy, let `secure` be true.
  setCookie(context, name, id, { path: '/', httpOnly: true, sameSite: 'Lax', secure, maxAge: lifetimeSeconds });
};

export const endSession = (context: Context): void => {
  sessions.delete(getCookie(context, name) ?? '');
  deleteCookie(context, name, { path: '/' });
};

/**
 * The user of the session; undefined without one. The session ends where the user was deleted or disabled, has
 * another password, or has signed out everywhere.
 */
export const signedInUser = async (context: Context, accounts: LatchkeyClient): Promise<User | undefined> => {
  const session = sessions.get(getCookie(context, name) ?? '');
  if (session === undefined) return undefined;
  const found = await accounts.getUser({ id: session.userId });
  if (!found.ok && found.problem.status >= 500) throw new Error(found.problem.code);
  if (found.ok) {
    const { passwordTime, generation } = sessionOf(found.user);
    if (passwordTime === session.passwordTime && generation === session.generation) return found.user;
  }
  endSession(context);
  return undefined;
};

/** The member of the user that ends all sessions which were started before. */
export const nextGeneration = (user: User) => ({ sessionGeneration: generationOf(user) + 1 });
