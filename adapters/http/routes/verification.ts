import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Request } from 'koa';
import type { CommandBus } from '../../../application/buses.ts';
import { pageHeaders } from '../pages/headers.ts';
import { email, responseType, token } from '../parameters.ts';
import type { PasswordCheck } from '../password-check.ts';
import type { UserPresenter } from '../presenter.ts';
import { refusal } from '../problems.ts';
import { givenAs, queryOf } from '../query.ts';
import { defineRoute, type Route } from '../route.ts';

/** What the verification routes need to know beyond the request. */
export interface VerificationPages {
  /** Where the service is reached from outside, without a slash at the end; null takes it from the request. */
  readonly publicUrl: string | null;
  /** The page of GET /verify/success and its Content-Security-Policy. */
  readonly successPage: { readonly html: string; readonly policy: string };
  /** What the configuration adds to the refusals: whether tokens expire, and whether mails are kept apart. */
  readonly tokensExpire: boolean;
  readonly mailsWait: boolean;
}

const storeRefusals = ['store_rejected', 'store_unavailable', 'timed_out'] as const;

// What a Host header may be (RFC 3986, section 3.2): anything else would write itself into the link.
const hostForm = /^(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const protocols: ReadonlySet<string> = new Set(['http', 'https']);

const baseUrlOf = (request: Request, publicUrl: string | null): string | undefined => {
  if (publicUrl !== null) return publicUrl;
  // A proxy may pass on whatever it was told.
  const { protocol, host } = request;
  return hostForm.test(host) && protocols.has(protocol) ? `${protocol}://${host}` : undefined;
};

const pathOf = (publicUrl: string | null): string =>
  publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');

/** The routes of `/verify` (specification, section 4); `users` writes the answers. */
export const verificationRoutes = (
  commands: CommandBus,
  check: PasswordCheck,
  users: UserPresenter,
  { publicUrl, successPage, tokensExpire, mailsWait }: VerificationPages,
): readonly Route[] => {
  const toSuccess = {
    status: 303,
    headers: {
      Location: `${pathOf(publicUrl)}/verify/success`,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    },
    body: '',
  };
  const tokenRefusals = tokensExpire ? (['token_mismatch', 'token_expired'] as const) : (['token_mismatch'] as const);
  return [
    defineRoute({
      method: 'post',
      path: '/verify',
      operation: 'sendVerification',
      summary: 'Send a verification mail',
      description:
        'Stores a new verification token on the user, marks the address as not verified and mails a link with the token. When the mail fails the token stays, and a further call replaces it.',
      tag: 'Verification',
      authenticated: true,
      parameters: { email, ...check.parameters },
      answers: {
        200: users.answer('The mail was sent; the user holds the token.', {
          verificationToken: token.example,
          later: true,
        }),
      },
      refusals: [
        'invalid_parameter',
        'malformed_request',
        'client_unauthorized',
        ...check.refusals,
        'user_not_found',
        ...(mailsWait ? (['resend_too_soon'] as const) : []),
        'mail_failed',
        'contended',
        'overloaded',
        ...storeRefusals,
      ],
      handle: async ({ email, password, client }, _, request) => {
        const baseUrl = baseUrlOf(request, publicUrl);
        if (baseUrl === undefined) return left(refusal('malformed_request'));
        const sent = await commands.dispatch({
          type: 'SendVerification',
          key: email,
          supplied: password,
          client,
          baseUrl,
        });
        return users.present(200, sent);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/verify',
      operation: 'confirmVerification',
      summary: 'Verify an address',
      description: 'Marks the address as verified. Normally reached by following the link in the mail, also twice.',
      tag: 'Verification',
      authenticated: false,
      parameters: { email, token, responseType },
      answers: {
        200: users.answer('The verified user.', { verified: true, verificationToken: token.example, later: true }),
        303: {
          description: 'With `response_type=html`: see the success page.',
          headers: { Location: 'The path of the success page.' },
        },
      },
      refusals: ['invalid_parameter', ...tokenRefusals, 'user_not_found', 'contended', ...storeRefusals],
      answersPerson: (request) => {
        const asked = givenAs(queryOf(request), 'response_type');
        return typeof asked === 'string' && asked.toLowerCase() === 'html';
      },
      handle: async ({ email, token, responseType }) => {
        const confirmed = await commands.dispatch({ type: 'ConfirmVerification', key: email, token });
        return responseType === 'html' && !isLeft(confirmed) ? right(toSuccess) : users.present(200, confirmed);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/verify/reset',
      operation: 'resetVerification',
      summary: 'Reset the verification',
      description: 'Marks the address as not verified and forgets the token.',
      tag: 'Verification',
      authenticated: true,
      parameters: { email, ...check.parameters },
      answers: { 200: users.answer('The user, not verified.', { later: true }) },
      refusals: [
        'invalid_parameter',
        'client_unauthorized',
        ...check.refusals,
        'user_not_found',
        'contended',
        'overloaded',
        ...storeRefusals,
      ],
      handle: async ({ email, password, client }) =>
        users.present(
          200,
          await commands.dispatch({ type: 'ResetVerification', key: email, supplied: password, client }),
        ),
    }),
    defineRoute({
      method: 'get',
      path: '/verify/success',
      operation: 'showSuccess',
      summary: 'The success page',
      description: 'What a person sees after following the link.',
      tag: 'Verification',
      authenticated: false,
      parameters: {},
      answers: {
        200: { description: 'An HTML page.', content: { type: 'text/html', schema: { type: 'string' } } },
      },
      refusals: [],
      handle: () => right({ status: 200, headers: pageHeaders(successPage.policy), body: successPage.html }),
    }),
  ];
};
