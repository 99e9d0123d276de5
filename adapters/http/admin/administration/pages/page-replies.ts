import type { Request as KoaRequest } from 'koa';
import { type ProblemCode, problems } from '../../../api/problems.ts';
import type { Permission } from '../../../authentication/permissions.ts';
import { type Html, html, pageHeaders } from '../../../pages/html.ts';
import { type AdminSite, type OperatorPage, operatorDocument, usersPathFor } from '../../../pages/operator-pages.ts';
import { emptyReply, type Reply } from '../../../server/response.ts';
import { contentSecurityPolicy, singlePage } from './page-frame.ts';
import type { FormTokens } from './page-inputs.ts';

// With `no-referrer`, browsers send `Origin: null` with a form, and the access guard would refuse it.
const headers = { ...pageHeaders(contentSecurityPolicy), 'Referrer-Policy': 'same-origin' };

export const redirect = (path: string): Reply => emptyReply(303, { Location: path });

/** What the general texts say about headers, for people. */
const detailsOfPages: Readonly<Partial<Record<ProblemCode, string>>> = {
  resend_too_soon: 'A mail to this user was requested a short time ago. Please try again in a minute.',
};

/** Makes the replies of the pages, which name the administrator who is signed in. */
export class PageReplies {
  constructor(
    private readonly site: AdminSite,
    protected readonly tokens: FormTokens,
  ) {}

  /** The page about a problem. */
  problem(request: KoaRequest, code: ProblemCode): Reply {
    const { status, title, detail } = problems[code];
    return this.notice(request, status, title, detailsOfPages[code] ?? detail);
  }

  /** The page for a key that lacks a permission. */
  notPermitted(request: KoaRequest, permission: Permission): Reply {
    // For the audit, where the page and not its route refuses.
    Object.assign(request.ctx.state, { code: 'not_permitted', permission });
    const { status, title } = problems.not_permitted;
    return this.notice(
      request,
      status,
      title,
      `This needs the permission “${permission}”, which your key does not have.`,
    );
  }

  protected notice(request: KoaRequest, status: number, heading: string, sentence: string): Reply {
    return this.single(request, status, heading, html`<div class="card part"><p>${sentence}</p></div>`);
  }

  /** A form with a token that does not belong to it. */
  protected foreignForm(request: KoaRequest): Reply {
    return this.notice(request, 403, 'Please try again', 'This form is too old, or was not made here.');
  }

  /** A page for a browser that is not signed in. */
  anonymous(page: OperatorPage): Reply {
    return { status: 200, headers, body: operatorDocument(this.site, page) };
  }

  /** A page about one thing, with a link to the users that the key may see. */
  protected single(request: KoaRequest, status: number, heading: string, content: Html): Reply {
    const back = usersPathFor(request.ctx.state.client) ?? '';
    return this.page(request, status, singlePage(heading, content, undefined, back));
  }

  protected page({ ctx }: KoaRequest, status: number, page: OperatorPage): Reply {
    return { status, headers, body: operatorDocument(this.site, page, ctx.state.client) };
  }
}
