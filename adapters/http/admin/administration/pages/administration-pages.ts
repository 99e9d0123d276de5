import { right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import { defineRoute, defineRouteWithBody } from '../../../api/route.ts';
import type { Route } from '../../../api/route-types.ts';
import type { AdminSite } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import type { Reply } from '../../../server/response.ts';
import type { AdministrationFeatures } from '../administered-user.ts';
import { wholeRequest } from '../administration-parameters.ts';
import type { Buses, UserActions } from '../administration-routes.ts';
import { contentSecurityPolicy } from './page-frame.ts';
import { formFields, userOfPage } from './page-inputs.ts';
import { Pages } from './pages.ts';

/** The pages, each with the operation of the API that does the same. */
export const pageRoutes = (
  parts: Buses & Pick<AdministrationFeatures, 'moveLifetimeMs' | 'nameProperty' | 'queuesMails' | 'sortsUsers'>,
  actions: UserActions,
  site: AdminSite,
): readonly Route[] => {
  const pages = new Pages(parts, actions, site);
  const refusalPage: Route['refusalPage'] = (_request, _status, code) =>
    // A browser that is refused without a key asks for one.
    code === 'client_unauthorized'
      ? undefined
      : { html: String(pages.problem(code).body), policy: contentSecurityPolicy };
  const parameters = { request: wholeRequest, user: userOfPage };
  const common = {
    authenticated: true,
    document: null,
    parameters,
    refusals: [],
    refusalPage,
    present: (reply: Reply) => reply,
  } as const;
  const page = (path: string, operation: string, show: (request: KoaRequest) => Promise<Reply>): Route =>
    defineRoute({
      ...common,
      method: 'get',
      path,
      operation,
      handle: async ({ request }) => right(await show(request)),
    });
  return [
    page(adminPaths.administration, 'listUsers', (request) => pages.list(request)),
    page('/admin/user', 'inspectUser', (request) => pages.user(request)),
    ...(parts.queuesMails ? [page(adminPaths.waitingMails, 'listMails', (request) => pages.mails(request))] : []),
    ...Object.entries(actions).flatMap(([name, action]) => [
      page(`/admin/${name}`, 'inspectUser', (request) => pages.confirmation(request, name, action)),
      defineRouteWithBody({
        ...common,
        method: 'post',
        path: `/admin/${name}`,
        operation: action.route.operation,
        body: formFields,
        handle: async ({ request }, field, startedMs) =>
          right(await pages.submission(request, name, action, field, startedMs)),
      }),
    ]),
  ];
};
