import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import { administrator as by } from '../../../../../application/administration/administrator.ts';
import { Fault } from '../../../../../application/fault.ts';
import { type ProblemCode, problems } from '../../../api/problems.ts';
import { type Refusal, refusal } from '../../../api/refusal.ts';
import { html, pageHeaders } from '../../../pages/html.ts';
import { type AdminSite, type OperatorPage, operatorDocument } from '../../../pages/operator-pages.ts';
import type { Reply } from '../../../server/response.ts';
import type { AdministrationFeatures } from '../administered-user.ts';
import { defaultLimit } from '../administration-parameters.ts';
import type { Buses, UserActions } from '../administration-routes.ts';
import { cursorOf, positionIn } from '../list-cursors.ts';
import type { FieldReader, UserAction } from '../user-action.ts';
import { listParameter, listPath, listQueryIn, listQueryOf } from './list-query.ts';
import { mailsPage } from './mail-pages.ts';
import { contentSecurityPolicy, pathTo, singlePage } from './page-frame.ts';
import { FormTokens, keyOfAddress, parameterOf } from './page-inputs.ts';
import { UserList } from './user-list.ts';
import { confirmationPage, type FoundUser, userPage } from './user-pages.ts';

// With `no-referrer`, browsers send `Origin: null` with a form, and the access guard would refuse it.
const headers = { ...pageHeaders(contentSecurityPolicy), 'Referrer-Policy': 'same-origin' };

const redirect = (path: string): Reply => ({
  status: 303,
  headers: { Location: path, 'Cache-Control': 'no-store' },
  body: '',
});

/** Whether the administrator can correct the form and send it again. */
const isCorrectable = ({ code }: Refusal): boolean => problems[code].status === 400 || code === 'stale_user';

/** Shows a user although a count of wrong passwords is damaged, because the page offers the action that removes it. */
const withoutDamaged = (error: unknown): Either<never, undefined> => {
  if (error instanceof Fault && error.record !== undefined) return right(undefined);
  throw error;
};

/** The pages for people: a list with a search, one user, and a confirmation before anything is changed. */
export class Pages {
  private readonly tokens = new FormTokens();
  private readonly users: UserList;

  constructor(
    private readonly parts: Buses & Pick<AdministrationFeatures, 'moveLifetimeMs' | 'nameProperty' | 'sortsUsers'>,
    private readonly actions: UserActions,
    private readonly site: AdminSite,
  ) {
    this.users = new UserList(parts);
  }

  /** The page about a problem. */
  problem(code: ProblemCode): Reply {
    const { status, title, detail } = problems[code];
    return this.notice(status, title, detail);
  }

  async list(request: KoaRequest): Promise<Reply> {
    const query = listQueryIn((name) => parameterOf(request, name));
    const user = await this.users.onlyUser(query);
    if (user !== undefined) return redirect(pathTo('/admin/user', { address: user }));
    const page = await this.users.page(query, this.messageIn(request));
    return isLeft(page) ? this.problem(page.left) : this.page(200, page.right);
  }

  async mails(request: KoaRequest): Promise<Reply> {
    const cursor = parameterOf(request, 'after');
    const position = cursor === '' ? right(undefined) : positionIn(cursor);
    if (isLeft(position)) return this.problem('invalid_parameter');
    const message = { type: 'ListMails', by, limit: defaultLimit, after: position.right } as const;
    const listed = await this.parts.queries.dispatch(message);
    if (isLeft(listed)) return listed.left;
    const { mails, next } = listed.right;
    return this.page(200, mailsPage(mails, next === undefined ? undefined : cursorOf(next)));
  }

  async user(request: KoaRequest): Promise<Reply> {
    const found = await this.find(parameterOf(request, 'address'));
    if (isLeft(found)) return this.problem(found.left.code);
    const { key, user } = found.right;
    const attempts = await this.parts.queries.dispatch({ type: 'GetAttempts', by, key }).catch(withoutDamaged);
    if (isLeft(attempts)) return this.problem(attempts.left.code);
    const { actions, parts } = this;
    const list = listParameter(listQueryOf(parameterOf(request, 'list')));
    return this.page(200, userPage(user, attempts.right, this.messageIn(request), list, actions, parts.moveLifetimeMs));
  }

  async confirmation(request: KoaRequest, name: string, action: UserAction): Promise<Reply> {
    const found = await this.find(parameterOf(request, 'address'));
    const given: FieldReader = (field) => (field === 'list' ? parameterOf(request, 'list') : '');
    return isLeft(found) ? this.problem(found.left.code) : this.form(request, name, action, found.right, 200, given);
  }

  async submission(request: KoaRequest, name: string, action: UserAction, field: FieldReader, startedMs: number) {
    const address = field('address');
    const key = keyOfAddress(address);
    if (key === undefined || !this.tokens.isValid(field('token'), request.headers.authorization, name, key))
      return this.notice(403, 'Please try again', 'This form is too old, or was not made here.');
    const outcome = await action.submit(key, field('entityTag'), field, startedMs);
    const list = listQueryOf(field('list'));
    if (!isLeft(outcome))
      return redirect(
        name === 'delete'
          ? listPath({ ...list, done: name })
          : pathTo('/admin/user', { address, done: name, list: listParameter(list) }),
      );
    const refused = outcome.left;
    // Shown again with the entered values.
    const found = isCorrectable(refused) ? await this.find(address) : outcome;
    if (isLeft(found)) return this.problem(found.left.code);
    return this.form(request, name, action, found.right, problems[refused.code].status, field, refused);
  }

  private page(status: number, page: OperatorPage): Reply {
    return { status, headers, body: operatorDocument(this.site, page) };
  }

  private notice(status: number, heading: string, sentence: string): Reply {
    return this.page(status, singlePage(heading, html`<div class="card part"><p>${sentence}</p></div>`));
  }

  private form(
    { headers: { authorization } }: KoaRequest,
    name: string,
    action: UserAction,
    found: FoundUser,
    status: number,
    entered: FieldReader,
    refused?: Refusal,
  ): Reply {
    const token = this.tokens.of(authorization, name, found.key);
    const list = listParameter(listQueryOf(entered('list')));
    return this.page(status, confirmationPage(name, action, found, list, token, entered, refused));
  }

  /** The message about the action that led to a page. */
  private messageIn(request: KoaRequest): string | undefined {
    const name = parameterOf(request, 'done');
    return Object.entries(this.actions).find(([known]) => known === name)?.[1].page.done;
  }

  private async find(address: string): Promise<Either<Refusal, FoundUser>> {
    const key = keyOfAddress(address);
    if (key === undefined) return left(refusal('user_not_found'));
    const found = await this.parts.queries.dispatch({ type: 'InspectUser', by, key });
    return isLeft(found) ? found : right({ ...found.right, key });
  }
}
