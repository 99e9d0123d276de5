import type { CommandBus } from '../../../application/bus.ts';
import type { User } from '../../../domain/user.ts';
import { confirmPage, confirmPolicy } from '../pages/confirm-page.ts';
import { pageHeaders } from '../pages/html.ts';
import type { Reply } from '../server/response.ts';
import { email, token } from './parameters.ts';
import { defineRoute } from './route.ts';
import type { Route } from './route-types.ts';
import { toSuccessPage, type VerificationOptions } from './verification-routes.ts';

/** The page that a link opens if `email.confirmPage` is on. Mail scanners follow links, so only its button verifies. */
export const presentConfirmPage = (user: User, token: string): Reply => ({
  status: 200,
  headers: pageHeaders(confirmPolicy),
  body: confirmPage(user.email.address, token),
});

/** The route of the button. */
export const confirmPageRoute = (
  commands: CommandBus,
  { publicUrl, wrongToken, unknownUser }: Pick<VerificationOptions, 'publicUrl' | 'wrongToken' | 'unknownUser'>,
): Route =>
  defineRoute({
    method: 'post',
    path: '/verify/confirm',
    operation: 'pressConfirm',
    summary: 'Verify an address from the confirmation page',
    description:
      'The button of the confirmation page sends this request, which marks the address as verified. Only with `email.confirmPage`; programs use `GET /verify`. Errors are HTML pages.',
    tag: 'Verification',
    authenticated: false,
    parameters: { email, token },
    responses: {
      303: { description: 'Redirects to the success page.', headers: { Location: 'The path of the success page.' } },
    },
    refusals: [...wrongToken, ...unknownUser, 'contended'],
    refusesWithPage: () => true,
    handle: ({ email, token }) => commands.dispatch({ type: 'ConfirmVerification', key: email, token }),
    present: () => toSuccessPage(publicUrl),
  });
