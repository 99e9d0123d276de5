import { createHmac, randomBytes } from 'node:crypto';
import { type Either, isLeft, left, map as mapRight, right } from 'fp-ts/lib/Either.js';
import type { Context } from 'koa';
import type { AdministrationBus } from '../../../../../application/bus.ts';
import { sameText } from '../../../../../application/constant-time.ts';
import { Fault } from '../../../../../application/fault.ts';
import { EmailAddress, type EmailKey, keyOf, keyPrefix } from '../../../../../domain/email-address.ts';
import type { Failure } from '../../../../../domain/failure.ts';
import { problems } from '../../../api/problems.ts';
import { queryOf, queryValue } from '../../../api/query.ts';
import { type Refusal, refusal } from '../../../api/refusal.ts';
import { html, pageHeaders } from '../../../pages/html.ts';
import { type AdminSite, type OperatorPage, operatorDocument } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import { send } from '../../../server/response.ts';
import { cursorOf, defaultLimit, listedStates, positionIn, recordsOf } from '../administration-parameters.ts';
import { type ActionName, actions, isActionName } from './actions.ts';
import { listPage, pageSizes } from './list-page.ts';
import { mailsPage } from './mails-page.ts';
import { contentSecurityPolicy, pathTo, singlePage } from './page-frame.ts';
import { confirmationPage, type FoundUser, type PageFeatures, userPage } from './user-pages.ts';

// With `no-referrer`, browsers send `Origin: null` with a form, and the access guard would refuse it.
const headers = { ...pageHeaders(contentSecurityPolicy), 'Referrer-Policy': 'same-origin' };

const redirect = (ctx: Context, path: string): void =>
  send(ctx, { status: 303, headers: { Location: path, 'Cache-Control': 'no-store' }, body: '' });

/** Whether the administrator can correct the form and send it again. */
const isCorrectable = ({ code }: Refusal): boolean => problems[code].status === 400 || code === 'stale_user';

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

const oneOf = <Value extends string>(text: string, values: readonly Value[]): Value | '' =>
  values.find((value) => value === text) ?? '';

/** Shows a user although a count of wrong passwords is damaged, because the page offers the action that removes it. */
const withoutDamaged = (error: unknown): Either<never, undefined> => {
  if (error instanceof Fault && error.record !== undefined) return right(undefined);
  throw error;
};

/** The message about the action that led to a page. */
const messageIn = (ctx: Context): string | undefined => {
  const name = parameterOf(ctx, 'done');
  return isActionName(name) ? actions[name].done : undefined;
};

/** The pages for people: a list with a search, one user, and a confirmation before anything is changed. */
export class PageHandlers {
  private readonly tokens = new FormTokens();

  constructor(
    private readonly bus: AdministrationBus,
    private readonly features: PageFeatures,
    private readonly site: AdminSite,
  ) {}

  /** Answers with a page about a problem. */
  sendProblem(ctx: Context, { code }: Refusal): void {
    const { status, title, detail } = problems[code];
    this.sendNotice(ctx, status, title, detail);
  }

  async list(ctx: Context): Promise<void> {
    const search = {
      address: parameterOf(ctx, 'address'),
      verified: oneOf(parameterOf(ctx, 'verified'), ['true', 'false']),
      state: oneOf(parameterOf(ctx, 'state'), listedStates),
      size: oneOf(parameterOf(ctx, 'size'), pageSizes),
    };
    const cursor = parameterOf(ctx, 'after');
    const position = cursor === '' ? undefined : positionIn(cursor);
    if (position !== undefined && isLeft(position)) return this.sendProblem(ctx, refusal('invalid_parameter'));
    const isFiltered = search.verified !== '' || search.state !== '';
    const key = cursor === '' && !isFiltered ? keyOfAddress(search.address) : undefined;
    // A complete address is looked up by its key, which every store does without a search.
    if (key !== undefined && !isLeft(await this.find(key)))
      return redirect(ctx, pathTo('/admin/user', { address: search.address }));
    const listed = await this.bus.dispatch({
      type: 'ListUsers',
      limit: Number(search.size === '' ? pageSizes[0] : search.size),
      after: position?.right,
      address: keyPrefix(search.address.slice(0, 254)),
      verified: search.verified === '' ? undefined : search.verified === 'true',
      state: search.state === '' ? undefined : search.state,
    });
    if (isLeft(listed)) return this.sendProblem(ctx, listed.left);
    const { users, next } = listed.right;
    const unreadable = recordsOf(listed.right.unreadable);
    const nextCursor = next === undefined ? undefined : cursorOf(next);
    const view = { search, users, unreadable, nextCursor, isFirst: cursor === '', message: messageIn(ctx) };
    this.sendPage(ctx, 200, listPage(view));
  }

  async mails(ctx: Context): Promise<void> {
    const cursor = parameterOf(ctx, 'after');
    const position = cursor === '' ? right(undefined) : positionIn(cursor);
    if (isLeft(position)) return this.sendProblem(ctx, refusal('invalid_parameter'));
    const listed = await this.bus.dispatch({ type: 'ListMails', limit: defaultLimit, after: position.right });
    if (isLeft(listed)) return;
    const { mails, next } = listed.right;
    this.sendPage(ctx, 200, mailsPage(mails, next === undefined ? undefined : cursorOf(next)));
  }

  async user(ctx: Context): Promise<void> {
    const subject = await this.subject(ctx, parameterOf(ctx, 'address'));
    if (subject === undefined) return;
    const attempts = await this.bus.dispatch({ type: 'GetAttempts', key: subject.key }).catch(withoutDamaged);
    if (isLeft(attempts)) return this.sendProblem(ctx, attempts.left);
    this.sendPage(ctx, 200, userPage(subject.user, attempts.right, messageIn(ctx), this.features));
  }

  async confirmation(ctx: Context, name: ActionName): Promise<void> {
    const subject = await this.subject(ctx, parameterOf(ctx, 'address'));
    if (subject !== undefined) this.showForm(ctx, name, subject, 200);
  }

  async act(ctx: Context, name: ActionName): Promise<void> {
    const address = fieldOf(ctx, 'address');
    const key = keyOfAddress(address);
    ctx.state.user ??= key;
    if (key === undefined || !this.tokens.isValid(fieldOf(ctx, 'token'), ctx.req.headers.authorization, name, key))
      return this.sendNotice(ctx, 403, 'Please try again', 'This form is too old, or was not made here.');
    const subject = { key, entityTag: fieldOf(ctx, 'entityTag') };
    const outcome = await actions[name].perform(this.bus, subject, (field) => fieldOf(ctx, field));
    if (isLeft(outcome)) return this.refuseForm(ctx, name, address, outcome.left);
    if (name === 'delete') redirect(ctx, pathTo(adminPaths.administration, { done: name }));
    else redirect(ctx, pathTo('/admin/user', { address, done: name }));
  }

  private sendPage(ctx: Context, status: number, page: OperatorPage): void {
    send(ctx, { status, headers, body: operatorDocument(this.site, page) });
  }

  private sendNotice(ctx: Context, status: number, heading: string, sentence: string): void {
    this.sendPage(ctx, status, singlePage(heading, html`<div class="card part"><p>${sentence}</p></div>`));
  }

  /** Shows the form again with the entered values if they can be corrected, otherwise a page about the problem. */
  private async refuseForm(ctx: Context, name: ActionName, address: string, refused: Refusal): Promise<void> {
    if (!isCorrectable(refused)) return this.sendProblem(ctx, refused);
    const subject = await this.subject(ctx, address);
    if (subject !== undefined) this.showForm(ctx, name, subject, problems[refused.code].status, refused);
  }

  private showForm(ctx: Context, name: ActionName, subject: FoundUser, status: number, refused?: Refusal): void {
    const token = this.tokens.of(ctx.req.headers.authorization, name, subject.key);
    const entered = refused === undefined ? () => '' : (field: string) => fieldOf(ctx, field);
    this.sendPage(ctx, status, confirmationPage(name, subject, token, entered, refused));
  }

  private async find(key: EmailKey): Promise<Either<Failure, FoundUser>> {
    const found = await this.bus.dispatch({ type: 'GetUser', key, supplied: undefined });
    return mapRight((stored: Omit<FoundUser, 'key'>) => ({ ...stored, key }))(found);
  }

  /** The user with this address. If there is none, sends a page with the reason and returns undefined. */
  private async subject(ctx: Context, address: string): Promise<FoundUser | undefined> {
    const key = keyOfAddress(address);
    const found: Either<Refusal, FoundUser> =
      key === undefined ? left(refusal('user_not_found')) : await this.find(key);
    if (!isLeft(found)) return found.right;
    this.sendProblem(ctx, found.left);
    return undefined;
  }
}
