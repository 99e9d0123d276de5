import type { CommandBus } from '../../../application/bus.ts';
import type { User } from '../../../domain/user.ts';
import { baseDirectives, html, pageHeaders, sourceOf } from '../pages/html.ts';
import { page, pageStyle } from '../pages/link-pages.ts';
import { publicPaths } from '../paths.ts';
import type { Reply } from '../server/response.ts';
import { email, ifMatch, token } from './parameters.ts';
import { defineRoute } from './route.ts';
import type { Route } from './route-types.ts';
import { toSuccessPage, type VerificationOptions } from './verification-routes.ts';

const style = html`${pageStyle}:root { --ask: #4f46e5; --on-ask: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ask: #a5b4fc; --on-ask: #1e1b4b; }
}
main.ask { --accent: var(--ask); }
p { overflow-wrap: anywhere; }
form { margin: 28px 0 0; }
button { width: 100%; min-height: 52px; padding: 12px 24px; border: 0; border-radius: 12px; background: var(--ask); color: var(--on-ask); font: inherit; font-weight: 600; cursor: pointer; }
button:hover { filter: brightness(1.08); }
button:focus-visible { outline: 3px solid var(--ask); outline-offset: 3px; }
`;

/** The Content-Security-Policy of the page: its own style, and a form that is sent to this service only. */
export const confirmPolicy = `default-src 'none'; style-src ${sourceOf(style)}; img-src data:; ${baseDirectives("'self'")}`;

/** The page that a verification link opens: a button that sends the address and the token. It needs no script. */
export const confirmPage = (address: string, token: string): string => {
  const values = `email=${encodeURIComponent(address)}&token=${encodeURIComponent(token)}`;
  // Relative to /verify, so that it works under every host name and behind a proxy that adds a path.
  const action = `verify/confirm?${values}`;
  const text = {
    title: 'Confirm your email address',
    sentence: `Press the button to confirm that ${address} is yours.`,
    hint: 'If you did not ask for this, close this page, and nothing happens.',
  };
  return page('ask', text, style, html`<form method="post" action="${action}"><button>Confirm</button></form>`);
};

/** The page that a link opens if `email.confirmPage` is on. Mail scanners follow links, so only its button verifies. */
export const presentConfirmPage = (user: User, token: string): Reply => ({
  status: 200,
  headers: pageHeaders(confirmPolicy),
  body: confirmPage(user.email.address, token),
});

/** `POST /verify/confirm`, to which the button of the confirmation page sends its form. */
export const confirmPageRoute = (
  commands: CommandBus,
  { publicUrl, wrongToken, unknownUser }: Pick<VerificationOptions, 'publicUrl' | 'wrongToken' | 'unknownUser'>,
): Route =>
  defineRoute({
    method: 'post',
    path: `${publicPaths.verification}/confirm`,
    operation: 'pressConfirm',
    summary: 'Verify an address from the confirmation page',
    description:
      'The button of the confirmation page sends this request, which marks the address as verified. Only with `email.confirmPage`; programs use `GET /verify`. Errors are HTML pages.',
    tag: 'Verification',
    authenticated: false,
    parameters: { email, token, ifMatch },
    responses: {
      303: { description: 'Redirects to the success page.', headers: { Location: 'The path of the success page.' } },
    },
    refusals: [...wrongToken, ...unknownUser, 'contended', 'stale_user'],
    refusesWithPage: () => true,
    handle: ({ email, token, ifMatch }, _, startedMs) =>
      commands.dispatch({ type: 'ConfirmVerification', key: email, token, ifMatch }, startedMs),
    present: () => toSuccessPage(publicUrl),
  });
