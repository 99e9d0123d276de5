import { right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import type { HealthReport } from '../../../../../application/health.ts';
import { defineResource, defineRoute, defineRouteWithBody } from '../../../api/route.ts';
import type { Route } from '../../../api/route-types.ts';
import { permits } from '../../../authentication/permissions.ts';
import { html } from '../../../pages/html.ts';
import type { AdminSite } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import type { Reply } from '../../../server/response.ts';
import { indexReply } from '../../status-pages.ts';
import type { UserPageParts } from '../administered-user.ts';
import { wholeRequest } from '../administration-parameters.ts';
import type { UserActions } from '../administration-routes.ts';
import type { Buses, FieldReader } from '../user-action.ts';
import type { UserCreation } from '../user-creation.ts';
import { CreationPage } from './creation-page.ts';
import { mailActions } from './mail-pages.ts';
import { contentSecurityPolicy, singlePage } from './page-frame.ts';
import { type FormTokens, formFields, userOfPage } from './page-inputs.ts';
import type { PageReplies } from './page-replies.ts';
import { Pages } from './pages.ts';
import { StatusFigures } from './status-figures.ts';
import { WaitingMailPages } from './waiting-mails.ts';

/** Chromium and the browsers that are made of it say so. */
const isChromium = (userAgent = ''): boolean => /Chrom(?:e|ium)\/\d/.test(userAgent);

/**
 * Signs out. A browser forgets the key of HTTP Basic with a 401 to a request that has the key. Chromium forgets it with any
 * challenge, and asks for no other key after one that it does not know; other browsers need the challenge of the key, and
 * ask for another one, which the person cancels to see the page.
 */
const signOutRoute = (pages: PageReplies, challenge: string): Route => ({
  ...defineResource(adminPaths.signOut, async (request) => {
    const { status: _, ...page } = pages.anonymous(
      singlePage(
        'You are signed out',
        html`<div class="card part"><p>This browser has forgotten the key. If users still open without a question for the key, close all windows of the browser.</p>
<div class="choices"><a class="action" href="${adminPaths.administration}">Sign in again</a></div></div>`,
      ),
    );
    const header = isChromium(request.headers['user-agent']) ? 'SignedOut realm="administration"' : challenge;
    return { ...page, status: 401, headers: { ...page.headers, 'WWW-Authenticate': header } };
  }),
  method: 'post',
  operation: 'signOut',
});

/** What the pages need. */
interface PageParts extends Buses, UserPageParts {
  readonly site: AdminSite;
  readonly tokens: FormTokens;
  readonly health: () => Promise<HealthReport>;
  /** The challenge of a request without a key. */
  readonly challenge: string;
}

/** The pages, each with the operation of the API that does the same. */
export const pageRoutes = (
  parts: PageParts,
  actions: UserActions,
  creation: UserCreation | undefined,
): readonly Route[] => {
  const { site, tokens, health, challenge, queuesMails } = parts;
  const pages = new Pages(parts, actions, site, tokens);
  const mails = new WaitingMailPages(parts, parts.clock, health, site, tokens);
  const figures = new StatusFigures(parts.queries, parts);
  const refusalPage: Route['refusalPage'] = (request, _status, code, permission) =>
    // A browser that is refused without a key asks for one.
    code === 'client_unauthorized'
      ? undefined
      : {
          html: String((permission ? pages.notPermitted(request, permission) : pages.problem(request, code)).body),
          policy: contentSecurityPolicy,
        };
  const common = {
    document: null,
    refusals: [],
    refusalPage,
    present: (reply: Reply) => reply,
  } as const;
  const user = { request: wholeRequest, user: userOfPage(parts.names) };
  // The parameter `id` of this page is that of a mail.
  const mail = { request: wholeRequest };
  const page = (
    path: string,
    requires: Route['requires'],
    operation: string,
    show: (request: KoaRequest) => Promise<Reply> | Reply,
    parameters: typeof user | typeof mail = user,
  ): Route =>
    defineRoute({
      ...common,
      parameters,
      method: 'get',
      path,
      requires,
      operation,
      handle: async ({ request }) => right(await show(request)),
    });
  const form = (
    path: string,
    requires: Route['requires'],
    operation: string,
    submit: (request: KoaRequest, field: FieldReader, startedMs: number) => Promise<Reply>,
  ): Route =>
    defineRouteWithBody({
      ...common,
      parameters: user,
      method: 'post',
      path,
      requires,
      operation,
      body: formFields,
      handle: async ({ request }, field, startedMs) => right(await submit(request, field, startedMs)),
    });
  const mailPages = [
    page(adminPaths.waitingMails, 'mail', 'listMails', (request) => mails.list(request)),
    page(mailActions.discard.path, 'mail', 'listMails', (request) => mails.confirmation(request), mail),
    form(mailActions.retry.path, 'mail', 'retryMail', (...sent) => mails.submission('retry', ...sent)),
    form(mailActions.discard.path, 'mail', 'discardMail', (...sent) => mails.submission('discard', ...sent)),
  ];
  const creationPage = creation && new CreationPage(creation, parts.names, site, tokens);
  const creationPages =
    creationPage === undefined
      ? []
      : [
          page(adminPaths.createUser, 'edit', 'addUser', (request) => creationPage.show(request)),
          form(adminPaths.createUser, 'edit', 'addUser', (...sent) => creationPage.submission(...sent)),
        ];
  return [
    defineResource(adminPaths.index, async ({ ctx }) => {
      const { client } = ctx.state;
      const [report, counted] = await Promise.all([
        health(),
        client && permits(client, 'list') ? figures.read() : undefined,
      ]);
      return indexReply(site, report, counted, client);
    }),
    page(adminPaths.administration, 'list', 'listUsers', (request) => pages.list(request)),
    page(adminPaths.user, 'read', 'inspectUser', (request) => pages.user(request)),
    signOutRoute(pages, challenge),
    ...creationPages,
    ...(queuesMails ? mailPages : []),
    ...Object.entries(actions).flatMap(([name, action]) => [
      page(`/admin/${name}`, action.route.requires, 'inspectUser', (request) =>
        pages.confirmation(request, name, action),
      ),
      form(`/admin/${name}`, action.route.requires, action.route.operation, (request, field, startedMs) =>
        pages.submission(request, name, action, field, startedMs),
      ),
    ]),
  ];
};
