import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { CommandBus } from '../../../application/bus.ts';
import type { EmailKey } from '../../../domain/email-address.ts';
import { pageHeaders } from '../pages/html.ts';
import type { Reply } from '../server/response.ts';
import { baseUrlOf, toSuccess } from './base-url.ts';
import type { CallerInput } from './caller.ts';
import { email, responseType, token } from './parameters.ts';
import { type Refusal, refusal } from './problems.ts';
import { givenAs, queryOf } from './query.ts';
import { defineRoute, type Route } from './route.ts';
import type { UserPresenter } from './user-presenter.ts';

/** What the verification routes need to know beyond the request. */
export interface VerificationPages {
  /** Where the service is reached from outside, without a slash at the end; null takes it from the request. */
  readonly publicUrl: string | null;
  /** The page of GET /verify/success and its Content-Security-Policy. */
  readonly successPage: { readonly html: string; readonly policy: string };
  /** What the configuration adds to the refusals: whether tokens expire, and whether mails are kept apart. */
  readonly tokensExpire: boolean;
  readonly mailsWait: boolean;
  /** What the link opens instead of verifying by itself; null where it does that. */
  readonly confirmPage: ConfirmPage | null;
}

/** A page on which a person confirms an address. */
export interface ConfirmPage {
  /** The page for a link that would verify, the way to the success page for one that has, or what is wrong with it. */
  show(key: EmailKey, token: string): Promise<Either<Refusal, Reply>>;
  /** Where the page leads. */
  readonly route: Route;
}

/** With what a store refuses, or does not answer. */
export const storeRefusals = ['store_rejected', 'store_unavailable', 'timed_out'] as const;

/** With what a token is refused; `expire` tells whether tokens have a lifetime. */
export const tokenRefusals = (expire: boolean): readonly ('token_mismatch' | 'token_expired')[] =>
  expire ? ['token_mismatch', 'token_expired'] : ['token_mismatch'];

const whatLinksDo = 'Marks the address as verified. Normally reached by following the link in the mail, also twice.';
const whatPagesDo =
  'With `email.confirmPage` a link, which asks for `html`, changes nothing: it opens a page whose button verifies, or leads to the success page when that is done.';

/** The routes of `/verify` (specification, section 4); `users` writes the answers. */
export const verificationRoutes = (
  commands: CommandBus,
  caller: CallerInput,
  users: UserPresenter,
  { publicUrl, successPage, tokensExpire, mailsWait, confirmPage }: VerificationPages,
): readonly Route[] => [
  defineRoute({
    method: 'post',
    path: '/verify',
    operation: 'sendVerification',
    summary: 'Send a verification mail',
    description:
      'Stores a new verification token on the user, marks the address as not verified and mails a link with the token. When the mail fails the token stays, and a further call replaces it.',
    tag: 'Verification',
    authenticated: true,
    parameters: { email, ...caller.parameters },
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
      ...caller.refusals,
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
    description: confirmPage === null ? whatLinksDo : `${whatLinksDo} ${whatPagesDo}`,
    tag: 'Verification',
    authenticated: false,
    parameters: { email, token, responseType },
    answers: {
      200: {
        ...users.answer('The verified user.', { verified: true, verificationToken: token.example, later: true }),
        page: confirmPage !== null,
      },
      303: {
        description: 'With `response_type=html`: see the success page.',
        headers: { Location: 'The path of the success page.' },
      },
    },
    refusals: ['invalid_parameter', ...tokenRefusals(tokensExpire), 'user_not_found', 'contended', ...storeRefusals],
    answersPerson: (request) => {
      const asked = givenAs(queryOf(request), 'response_type');
      return typeof asked === 'string' && asked.toLowerCase() === 'html';
    },
    handle: async ({ email, token, responseType }) => {
      if (responseType === 'html' && confirmPage !== null) return confirmPage.show(email, token);
      const confirmed = await commands.dispatch({ type: 'ConfirmVerification', key: email, token });
      return responseType === 'html' && !isLeft(confirmed)
        ? right(toSuccess(publicUrl))
        : users.present(200, confirmed);
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
    parameters: { email, ...caller.parameters },
    answers: { 200: users.answer('The user, not verified.', { later: true }) },
    refusals: [
      'invalid_parameter',
      'client_unauthorized',
      ...caller.refusals,
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
