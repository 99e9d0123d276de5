import { type Either, isLeft } from 'fp-ts/lib/Either.js';
import type { Context } from 'koa';
import type { AdministrationBus } from '../../../../../application/bus.ts';
import { EmailAddress, type EmailKey, keyOf, keyPrefix } from '../../../../../domain/email-address.ts';
import type { Failure } from '../../../../../domain/failure.ts';
import type { User } from '../../../../../domain/user.ts';
import { problems } from '../../../api/problems.ts';
import { pageHeaders } from '../../../pages/page-headers.ts';
import { send } from '../../../server/response.ts';
import { usualLimit } from '../administration-parameters.ts';
import { cursorOf, positionIn } from '../cursor.ts';
import { noticePage, pathTo, policy } from './document.ts';
import { Proof } from './form-token.ts';
import { fieldOf, textOf } from './input.ts';
import { listPage } from './list-page.ts';
import { type Action, confirmationPage, userPage } from './user-page.ts';

// Without a referrer a browser would not tell the origin of a form, either.
const headers = { ...pageHeaders(policy), 'Referrer-Policy': 'same-origin' };

const answer = (ctx: Context, status: number, body: string): void => send(ctx, { status, headers, body });

const goTo = (ctx: Context, path: string): void =>
  send(ctx, { status: 303, headers: { Location: path, 'Cache-Control': 'no-store' }, body: '' });

/** Says on a page what failed. */
export const failed = (ctx: Context, code: keyof typeof problems): void => {
  const { status, title, detail } = problems[code];
  answer(ctx, status, noticePage(title, detail));
};

/** The key of an address that was given; undefined when it is none. */
export const keyIn = (text: string): EmailKey | undefined => (EmailAddress.is(text) ? keyOf(text) : undefined);

const verifiedIn = (text: string): 'true' | 'false' | '' => (text === 'true' || text === 'false' ? text : '');

const doneTo: Readonly<Record<Action, string>> = {
  delete: 'The user was deleted.',
  reset: 'The verification was reset.',
};

/** What was done, by the word of it in an address. */
const doneIn = (ctx: Context): string | undefined => {
  const word = textOf(ctx, 'done');
  return word === 'delete' || word === 'reset' ? doneTo[word] : undefined;
};

/** The pages for people: a list with a search, one user, and a question before anything is changed. */
export class Pages {
  private readonly proof = new Proof();

  constructor(private readonly bus: AdministrationBus) {}

  private user(key: EmailKey): Promise<Either<Failure, User>> {
    return this.bus.dispatch({ type: 'GetUser', key, supplied: undefined });
  }

  async list(ctx: Context): Promise<void> {
    const search = { address: textOf(ctx, 'address'), verified: verifiedIn(textOf(ctx, 'verified')) };
    const cursor = textOf(ctx, 'after');
    const position = cursor === '' ? undefined : positionIn(cursor);
    if (position !== undefined && isLeft(position)) return failed(ctx, 'invalid_parameter');
    const key = cursor === '' && search.verified === '' ? keyIn(search.address) : undefined;
    // Whoever writes a whole address means this user: no database has to search for it.
    if (key !== undefined && !isLeft(await this.user(key)))
      return goTo(ctx, pathTo('/admin/user', { address: search.address }));
    const listed = await this.bus.dispatch({
      type: 'ListUsers',
      limit: usualLimit,
      after: position?.right,
      address: keyPrefix(search.address.slice(0, 254)),
      verified: search.verified === '' ? undefined : search.verified === 'true',
    });
    if (isLeft(listed)) return failed(ctx, listed.left.code);
    const { users, next } = listed.right;
    const following = next === undefined ? undefined : cursorOf(next);
    answer(ctx, 200, listPage({ search, users, next: following, isFirst: cursor === '', done: doneIn(ctx) }));
  }

  /** Shows something about the user that the address names. */
  async about(ctx: Context, show: (user: User, key: EmailKey) => string): Promise<void> {
    const key = keyIn(textOf(ctx, 'address'));
    if (key === undefined) return failed(ctx, 'user_not_found');
    const found = await this.user(key);
    if (isLeft(found)) return failed(ctx, found.left.code);
    answer(ctx, 200, show(found.right, key));
  }

  one(ctx: Context): Promise<void> {
    return this.about(ctx, (user) => userPage(user, doneIn(ctx)));
  }

  ask(ctx: Context, action: Action): Promise<void> {
    const token = (key: EmailKey) => this.proof.of(ctx.req.headers.authorization, action, key);
    return this.about(ctx, (user, key) => confirmationPage(action, user, token(key)));
  }

  async act(ctx: Context, action: Action): Promise<void> {
    const address = fieldOf(ctx, 'address');
    const key = keyIn(address);
    if (key !== undefined) ctx.state.user ??= key;
    const isProven =
      key !== undefined && this.proof.holds(fieldOf(ctx, 'token'), ctx.req.headers.authorization, action, key);
    if (!isProven)
      return answer(ctx, 403, noticePage('Please try again', 'This form is too old, or was not made here.'));
    const { bus } = this;
    const outcome = await (action === 'delete'
      ? bus.dispatch({ type: 'DeleteUser', key, supplied: undefined })
      : bus.dispatch({ type: 'ResetVerification', key, supplied: undefined }));
    if (isLeft(outcome)) return failed(ctx, outcome.left.code);
    const isGone = action === 'delete';
    goTo(ctx, pathTo(isGone ? '/admin' : '/admin/user', { address: isGone ? '' : address, done: action }));
  }
}
