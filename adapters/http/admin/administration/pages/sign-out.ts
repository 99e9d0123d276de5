import { right } from 'fp-ts/lib/Either.js';
import type { Route } from '../../../api/route-types.ts';
import { html } from '../../../pages/html.ts';
import { adminPaths } from '../../../paths.ts';
import { undocumentedRoute } from '../../undocumented-route.ts';
import { singlePage } from './page-frame.ts';
import type { PageReplies } from './page-replies.ts';

/** Chromium and the browsers that are made of it say so. */
const isChromium = (userAgent = ''): boolean => /Chrom(?:e|ium)\/\d/.test(userAgent);

/**
 * Signs out. A browser forgets the key of HTTP Basic with a 401 to a request that has the key. Chromium forgets it with any
 * challenge, and asks for no other key after one that it does not know; other browsers need the challenge of the key, and
 * ask for another one, which the person cancels to see the page.
 */
export const signOutRoute = (pages: PageReplies, challenge: string): Route => ({
  ...undocumentedRoute(adminPaths.signOut, async (request) => {
    const { status: _, ...page } = pages.anonymous(
      singlePage(
        'You are signed out',
        html`<div class="card part"><p>This browser has forgotten the key. If users still open without a question for the key, close all windows of the browser.</p>
<div class="choices"><a class="action" href="${adminPaths.administration}">Sign in again</a></div></div>`,
      ),
    );
    const header = isChromium(request.headers['user-agent']) ? 'SignedOut realm="administration"' : challenge;
    return right({ ...page, status: 401, headers: { ...page.headers, 'WWW-Authenticate': header } });
  }),
  method: 'post',
  operation: 'signOut',
});
