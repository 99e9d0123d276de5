import { createHmac, randomBytes } from 'node:crypto';
import { type Either, isLeft, map as mapRight } from 'fp-ts/lib/Either.js';
import type { Context } from 'koa';
import type { AdministrationBus } from '../../../../../application/bus.ts';
import { sameText } from '../../../../../application/constant-time.ts';
import { EmailAddress, type EmailKey, keyOf, keyPrefix } from '../../../../../domain/email-address.ts';
import type { Failure } from '../../../../../domain/failure.ts';
import type { User } from '../../../../../domain/user.ts';
import { problems } from '../../../api/problems.ts';
import { queryOf, queryValue } from '../../../api/query.ts';
import { pageHeaders } from '../../../pages/html.ts';
import { send } from '../../../server/response.ts';
import { cursorOf, defaultLimit, positionIn } from '../administration-parameters.ts';
import { contentSecurityPolicy, noticePage, pathTo } from './page-frame.ts';
import { type Action, confirmationPage, listPage, userPage } from './user-pages.ts';

// Without a referrer browsers would leave out the origin of a form, too.
const headers = { ...pageHeaders(contentSecurityPolicy), 'Referrer-Policy': 'same-origin' };

const sendPage = (ctx: Context, status: number, body: string): void => send(ctx, { status, headers, body });

const redirect = (ctx: Context, path: string): void =>
  send(ctx, { status: 303, headers: { Location: path, 'Cache-Control': 'no-store' }, body: '' });

/** Answers with a page about a problem. */
export const failed = (ctx: Context, code: keyof typeof problems): void => {
  const { status, title, detail } = problems[code];
  sendPage(ctx, status, noticePage(title, detail));
};

/** The key of an address; undefined for any other text. */
export const keyOfAddress = (text: string): EmailKey | undefined => (EmailAddress.is(text) ? keyOf(text) : undefined);

/** A query parameter; empty where it is missing or repeated. */
export const parameterOf = (ctx: Context, name: string): string => {
  const value = queryValue(queryOf(ctx.request), name);
  return typeof value === 'string' ? value.trim() : '';
};

/** A field of a form; empty where it is missing or repeated. */
const fieldOf = (ctx: Context, name: string): string => {
  const body: unknown = ctx.request.body;
  const fields = new Map<string, unknown>(typeof body === 'object' && body !== null ? Object.entries(body) : []);
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
};

/**
 * Tokens of forms, each for the credentials, action and user of its form (OWASP, Cross-Site Request Forgery Prevention:
 * HMAC tokens). They are valid until the service restarts.
 */
class FormTokens {
  private readonly key = randomBytes(32);

  of(...subject: readonly (string | undefined)[]): string {
    return createHmac('sha256', this.key).update(JSON.stringify(subject)).digest('base64url');
  }

  isValid(token: string, ...subject: readonly (string | undefined)[]): boolean {
    return sameText(this.of(...subject), token);
  }
}

const verifiedIn = (text: string): 'true' | 'false' | '' => (text === 'true' || text === 'false' ? text : '');

const messages: Readonly<Record<Action, string>> = {
  delete: 'The user was deleted.',
  reset: 'The verification was reset.',
};

/** The message about the action that led to a page. */
const messageIn = (ctx: Context): string | undefined => {
  const action = parameterOf(ctx, 'done');
  return action === 'delete' || action === 'reset' ? messages[action] : undefined;
};

/** The pages for people: a list with a search, one user, and a confirmation before anything is changed. */
export class PageHandlers {
  private readonly tokens = new FormTokens();

  constructor(private readonly bus: AdministrationBus) {}

  async list(ctx: Context): Promise<void> {
    const search = { address: parameterOf(ctx, 'address'), verified: verifiedIn(parameterOf(ctx, 'verified')) };
    const cursor = parameterOf(ctx, 'after');
    const position = cursor === '' ? undefined : positionIn(cursor);
    if (position !== undefined && isLeft(position)) return failed(ctx, 'invalid_parameter');
    const key = cursor === '' && search.verified === '' ? keyOfAddress(search.address) : undefined;
    // A search for a complete address leads to its user, which no database has to search for.
    if (key !== undefined && !isLeft(await this.find(key)))
      return redirect(ctx, pathTo('/admin/user', { address: search.address }));
    const listed = await this.bus.dispatch({
      type: 'ListUsers',
      limit: defaultLimit,
      after: position?.right,
      address: keyPrefix(search.address.slice(0, 254)),
      verified: search.verified === '' ? undefined : search.verified === 'true',
      state: undefined,
    });
    if (isLeft(listed)) return failed(ctx, listed.left.code);
    const { users, next } = listed.right;
    const nextCursor = next === undefined ? undefined : cursorOf(next);
    sendPage(ctx, 200, listPage({ search, users, nextCursor, isFirst: cursor === '', message: messageIn(ctx) }));
  }

  user(ctx: Context): Promise<void> {
    return this.show(ctx, (user) => userPage(user, messageIn(ctx)));
  }

  confirmation(ctx: Context, action: Action): Promise<void> {
    const token = (key: EmailKey) => this.tokens.of(ctx.req.headers.authorization, action, key);
    return this.show(ctx, (user, key) => confirmationPage(action, user, token(key)));
  }

  async act(ctx: Context, action: Action): Promise<void> {
    const address = fieldOf(ctx, 'address');
    const key = keyOfAddress(address);
    ctx.state.user ??= key;
    const { authorization } = ctx.req.headers;
    if (key === undefined || !this.tokens.isValid(fieldOf(ctx, 'token'), authorization, action, key))
      return sendPage(ctx, 403, noticePage('Please try again', 'This form is too old, or was not made here.'));
    const { bus } = this;
    const outcome = await (action === 'delete'
      ? bus.dispatch({ type: 'DeleteUser', key, supplied: undefined })
      : bus.dispatch({ type: 'ResetVerification', key, supplied: undefined }));
    if (isLeft(outcome)) return failed(ctx, outcome.left.code);
    if (action === 'delete') redirect(ctx, pathTo('/admin', { done: action }));
    else redirect(ctx, pathTo('/admin/user', { address, done: action }));
  }

  private async find(key: EmailKey): Promise<Either<Failure, User>> {
    const found = await this.bus.dispatch({ type: 'GetUser', key, supplied: undefined });
    return mapRight(({ user }: { readonly user: User }) => user)(found);
  }

  /** Shows a page about the user whom the query names. */
  private async show(ctx: Context, page: (user: User, key: EmailKey) => string): Promise<void> {
    const key = keyOfAddress(parameterOf(ctx, 'address'));
    if (key === undefined) return failed(ctx, 'user_not_found');
    const found = await this.find(key);
    if (isLeft(found)) return failed(ctx, found.left.code);
    sendPage(ctx, 200, page(found.right, key));
  }
}
