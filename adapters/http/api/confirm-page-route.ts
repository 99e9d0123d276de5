import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { CommandBus, QueryBus } from '../../../application/bus.ts';
import { confirmPage, confirmPolicy } from '../pages/confirm-page.ts';
import { pageHeaders } from '../pages/html.ts';
import { toSuccess } from './base-url.ts';
import { email, token } from './parameters.ts';
import { refusalOf } from './problems.ts';
import { defineRoute } from './route.ts';
import { type ConfirmPage, storeRefusals, tokenRefusals } from './verification-routes.ts';

/**
 * The page with a button that a link opens, because programs that look at mails follow their links. Only the button
 * changes anything: it posts to `/verify/confirm`.
 */
export const confirmPageOf = (
  commands: CommandBus,
  queries: QueryBus,
  { publicUrl, tokensExpire }: { readonly publicUrl: string | null; readonly tokensExpire: boolean },
): ConfirmPage => ({
  show: async (key, given) => {
    const checked = await queries.dispatch({ type: 'CheckVerification', key, token: given });
    if (isLeft(checked)) return left(refusalOf(checked.left));
    const { address, verified } = checked.right.email;
    if (verified) return right(toSuccess(publicUrl));
    return right({ status: 200, headers: pageHeaders(confirmPolicy), body: confirmPage(address, given) });
  },
  route: defineRoute({
    method: 'post',
    path: '/verify/confirm',
    operation: 'pressConfirm',
    summary: 'Verify an address from the page',
    description:
      'What the button of the page sends that the link opens: marks the address as verified. Only with `email.confirmPage`; programs use `GET /verify`. Refusals are pages.',
    tag: 'Verification',
    authenticated: false,
    parameters: { email, token },
    answers: { 303: { description: 'See the success page.', headers: { Location: 'The path of the success page.' } } },
    refusals: ['invalid_parameter', ...tokenRefusals(tokensExpire), 'user_not_found', 'contended', ...storeRefusals],
    answersPerson: () => true,
    handle: async ({ email, token }) => {
      const confirmed = await commands.dispatch({ type: 'ConfirmVerification', key: email, token });
      return isLeft(confirmed) ? left(refusalOf(confirmed.left)) : right(toSuccess(publicUrl));
    },
  }),
});
