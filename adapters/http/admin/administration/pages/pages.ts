import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import { administrator as by } from '../../../../../application/administration/administrator.ts';
import { isOfRecord } from '../../../../../application/fault.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import type { VersionedUser } from '../../../../../domain/entity-tag.ts';
import { problems } from '../../../api/problems.ts';
import { type RequestRefusal, refusal } from '../../../api/refusal.ts';
import { keepSubject } from '../../../api/request-audit.ts';
import { permits } from '../../../authentication/permissions.ts';
import { type AdminSite, usersPathFor } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import type { Reply } from '../../../server/response.ts';
import type { UserPageParts } from '../administered-user.ts';
import type { UserActions } from '../administration-routes.ts';
import { newAddressField } from '../form-bodies.ts';
import type { Buses, FieldReader, UserAction } from '../user-action.ts';
import { createdMessage, creationForm } from './creation-page.ts';
import { listParameter, listPath, listQueryIn, listQueryOf } from './list-query.ts';
import { pathTo } from './page-frame.ts';
import { type FormTokens, parameterOf } from './page-inputs.ts';
import { PageReplies, redirect } from './page-replies.ts';
import { findPage } from './search-form.ts';
import { UserList } from './user-list.ts';
import { confirmationPage, userPage } from './user-pages.ts';

/** Whether the administrator can correct the form and send it again. */
const isCorrectable = ({ code }: RequestRefusal): boolean =>
  problems[code].status === 400 || ['stale_user', 'property_taken', 'address_taken', 'id_immutable'].includes(code);

/** Shows a user although a count of wrong passwords is damaged, because the page offers the action that removes it. */
const withoutDamaged = (error: unknown): Either<never, undefined> => {
  if (isOfRecord(error)) return right(undefined);
  throw error;
};

/** The pages for people: a list with a search, one user, and a confirmation before anything is changed. */
export class Pages extends PageReplies {
  private readonly users: UserList;
  private readonly unreadUsers: UserList;

  constructor(
    private readonly parts: Buses & UserPageParts,
    private readonly actions: UserActions,
    site: AdminSite,
    tokens: FormTokens,
  ) {
    super(site, tokens);
    this.users = new UserList(parts);
    this.unreadUsers = this.users.withoutProperties();
  }

  async list(request: KoaRequest): Promise<Reply> {
    const query = listQueryIn((name) => parameterOf(request, name));
    const reads = permits(request.ctx.state.client, 'read');
    // Whether a user matches would reveal the value of the property.
    if (!reads && query.value !== '') return this.notPermitted(request, 'read');
    const users = reads ? this.users : this.unreadUsers;
    const exact = await users.exactMatches(query);
    const user = reads ? await users.onlyUser(query, exact) : undefined;
    // The way back is to the list without the address, which would lead here again.
    if (user !== undefined)
      return redirect(pathTo('/admin/user', { ...user, list: listParameter({ ...query, address: '' }) }));
    const creates = this.parts.createsUsers && permits(request.ctx.state.client, 'edit');
    const page = await users.page(query, exact, this.messageIn(request), creates);
    return isLeft(page) ? this.problem(request, page.left) : this.page(request, 200, page.right);
  }

  async user(request: KoaRequest): Promise<Reply> {
    const { client } = request.ctx.state;
    const named: FieldReader = (name) => parameterOf(request, name);
    if (!permits(client, 'list') && this.parts.names.keyIn(named) === undefined)
      return this.search(request, named('address'));
    const found = await this.find(request, named);
    if (isLeft(found)) return this.problem(request, found.left.code);
    const { user } = found.right;
    const key = keyOf(user.email.address);
    const attempts = await this.parts.queries.dispatch({ type: 'GetAttempts', by, key }).catch(withoutDamaged);
    if (isLeft(attempts)) return this.problem(request, attempts.left.code);
    const { actions, parts } = this;
    const list = listParameter(listQueryOf(parameterOf(request, 'list')));
    return this.page(
      request,
      200,
      userPage(user, attempts.right, this.messageIn(request), list, actions, client, parts),
    );
  }

  /** Opens the user whom a text names exactly, for keys that may not list users. */
  private async search(request: KoaRequest, text: string): Promise<Reply> {
    const { names } = this.parts;
    const [user] = text === '' ? [] : await this.users.exactMatches({ ...listQueryOf(''), address: text });
    if (user !== undefined) return redirect(pathTo(adminPaths.user, names.referenceTo(user)));
    return this.page(request, text === '' ? 200 : 404, findPage(names, text, this.messageIn(request)));
  }

  async confirmation(request: KoaRequest, name: string, action: UserAction): Promise<Reply> {
    if (this.hidesForm(request, name)) return this.notPermitted(request, 'read');
    const found = await this.find(request, (name) => parameterOf(request, name));
    const given: FieldReader = (field) => (field === 'list' || field === 'as' ? parameterOf(request, field) : '');
    return isLeft(found)
      ? this.problem(request, found.left.code)
      : this.form(request, name, action, found.right, 200, given);
  }

  async submission(request: KoaRequest, name: string, action: UserAction, field: FieldReader, startedMs: number) {
    // Its token may be from before a reload.
    if (this.hidesForm(request, name)) return this.notPermitted(request, 'read');
    const key = this.parts.names.keyIn(field);
    if (key !== undefined) request.ctx.state.user = key;
    if (key === undefined || !this.tokens.isValid(field('token'), request.headers.authorization, name, key))
      return this.foreignForm(request);
    const outcome = await action.submit(key, field('entityTag'), field, startedMs);
    keepSubject(request.ctx.state, outcome);
    if (!isLeft(outcome)) return this.done(request, name, action, field);
    const refused = outcome.left;
    // Shown again with the entered values.
    const found = isCorrectable(refused) ? await this.find(request, field) : outcome;
    if (isLeft(found)) return this.problem(request, found.left.code);
    return this.form(request, name, action, found.right, problems[refused.code].status, field, refused);
  }

  /** Whether the form of an action shows custom properties that the key may not read. */
  private hidesForm({ ctx }: KoaRequest, name: string): boolean {
    return name === 'properties' && !permits(ctx.state.client, 'read');
  }

  /** Shows the message of an action where the key may go next. */
  private done(request: KoaRequest, name: string, action: UserAction, field: FieldReader): Reply {
    const { client } = request.ctx.state;
    const list = listQueryOf(field('list'));
    if (name !== 'delete' && name !== 'erase' && permits(client, 'read')) {
      const [id, address] = [field('id'), field(newAddressField).trim() || field('address')];
      return redirect(pathTo(adminPaths.user, { id, address, done: name, list: listParameter(list) }));
    }
    const users = usersPathFor(client);
    if (users === undefined) return this.notice(request, 200, 'Done', action.page.done);
    return redirect(users === adminPaths.user ? pathTo(users, { done: name }) : listPath({ ...list, done: name }));
  }

  private form(
    request: KoaRequest,
    name: string,
    action: UserAction,
    found: VersionedUser,
    status: number,
    entered: FieldReader,
    refused?: RequestRefusal,
  ): Reply {
    const { names } = this.parts;
    const token = this.tokens.of(request.headers.authorization, name, names.keyOf(found.user));
    const list = listParameter(listQueryOf(entered('list')));
    const reference = names.referenceTo(found.user);
    const { client } = request.ctx.state;
    const page = confirmationPage(name, action, found, reference, list, token, entered, refused, client);
    return this.page(request, status, page);
  }

  /** The message about the action that led to a page. */
  private messageIn(request: KoaRequest): string | undefined {
    const name = parameterOf(request, 'done');
    if (name === creationForm) return createdMessage;
    return Object.entries(this.actions).find(([known]) => known === name)?.[1].page.done;
  }

  private async find(request: KoaRequest, read: FieldReader): Promise<Either<RequestRefusal, VersionedUser>> {
    const { names, queries } = this.parts;
    const key = names.keyIn(read);
    if (key === undefined) return left(refusal('user_not_found'));
    const found = await queries.dispatch({ type: 'InspectUser', by, key });
    keepSubject(request.ctx.state, found);
    return found;
  }
}
