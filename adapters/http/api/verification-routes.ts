import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import type { CommandBus, QueryBus } from '../../../application/bus.ts';
import type { User } from '../../../domain/user.ts';
import { prefersPage } from '../pages/error-page.ts';
import { failurePage, type HtmlPage, page, pageReply } from '../pages/link-pages.ts';
import type { PageLanguage } from '../pages/page-texts.ts';
import { publicPaths } from '../paths.ts';
import type { Reply } from '../server/response.ts';
import { userWithTag } from '../server/response.ts';
import { baseUrl, email, ifMatch, optional, token } from './parameters.ts';
import { queryOf, queryValue } from './query.ts';
import { refusal } from './refusal.ts';
import { languageOfPages, type PageLanguageChoice } from './request-languages.ts';
import { defineRoute } from './route.ts';
import type { RefusalUnlessRuledOut, RouteOptions } from './route-options.ts';
import type { Parameter, Route } from './route-types.ts';

/** How GET /verify responds: with JSON, or with HTML for a person who followed the link. */
type ResponseType = 'json' | 'html';

/** `response_type`, in any case; the default is json. */
export const responseType: Parameter<ResponseType> = {
  name: 'response_type',
  in: 'query',
  required: false,
  description: '`json` returns the user; `html` redirects to the success page.',
  schema: { type: 'string', enum: ['json', 'html'], default: 'json' },
  example: 'json',
  read: (_, query) => {
    // Clients of other implementations send it empty.
    if (queryValue(query, 'response_type') === '') return right('json');
    const value = optional(query, 'response_type');
    if (isLeft(value)) return value;
    const given = value.right?.toLowerCase() ?? 'json';
    return given === 'json' || given === 'html' ? right(given) : left('must be json or html');
  },
};

/** Settings of the verification routes. */
export interface VerificationOptions extends RouteOptions {
  /** The public address of the service, without a trailing slash; null takes it from the request. */
  readonly publicUrl: string | null;
  /** The operator's page for GET /verify/success; null for the built-in one. */
  readonly successPage: HtmlPage | null;
  readonly pageLanguage: PageLanguageChoice;
  /** Failures for wrong tokens and early mails; optional ones depend on the configuration. */
  readonly wrongToken: readonly ['token_mismatch', ...'token_expired'[]];
  readonly tooSoon: RefusalUnlessRuledOut<'resend_too_soon'>;
  /** Whether mails are sent while the caller waits, and not queued. */
  readonly sendsMail: boolean;
  /** Writes the page that the link in the mail opens; null if the link verifies by itself. */
  readonly confirmPage: ((user: User, token: string, language: PageLanguage) => Reply) | null;
}

/**
 * Whether a refusal is shown as a page: the request has `response_type=html`, also one with other invalid parameters, or
 * comes from a browser.
 */
export const asksForPage = (request: KoaRequest): boolean => {
  const given = queryValue(queryOf(request), 'response_type');
  return given === undefined ? prefersPage(request) : typeof given === 'string' && given.toLowerCase() === 'html';
};

/** Redirects to a page of the service, with neither address nor token in its URL. */
export const redirect = (publicUrl: string | null, path: string): Reply => ({
  status: 303,
  headers: {
    Location: `${publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')}${path}`,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  },
  body: '',
});

export const toSuccessPage = (publicUrl: string | null): Reply =>
  redirect(publicUrl, `${publicPaths.verification}/success`);

const linkDescription =
  'Marks the address as verified. The link in the mail leads here and can be followed several times.';
const confirmPageDescription =
  'With `email.confirmPage` and `response_type=html`, nothing changes: the response is a page whose button verifies the address, or a redirect to the success page if it is verified already.';

/** The routes of `/verify` (specification, section 4). */
export const verificationRoutes = (
  commands: CommandBus,
  queries: QueryBus,
  options: VerificationOptions,
): readonly Route[] => {
  const { caller, wrongPassword, unknownUser, wrongToken, publicUrl, successPage, confirmPage, pageLanguage } = options;
  const language = languageOfPages(pageLanguage);
  const { writeUser, describeUser, mailLanguages } = options;
  return [
    defineRoute({
      method: 'post',
      path: publicPaths.verification,
      operation: 'sendVerification',
      summary: 'Send a verification mail',
      description:
        'Stores a new verification token, marks the address as not verified, and mails a link with the token. If the mail fails, the token stays, and another call replaces it.',
      tag: 'Verification',
      authenticated: true,
      parameters: { key: email, ...caller, ifMatch, baseUrl: baseUrl(publicUrl), ...mailLanguages },
      responses: {
        200: describeUser('The mail was sent; the user has the token.', {
          verificationToken: token.example,
          later: true,
        }),
      },
      refusals: [...wrongPassword, ...unknownUser, ...options.tooSoon, 'contended', 'stale_user'],
      sendsMail: options.sendsMail,
      hashesPassword: options.checksHeader,
      handle: async ({ key, supplied, client, ifMatch, baseUrl, languages }, _, startedMs) =>
        baseUrl === undefined
          ? left(refusal('malformed_request'))
          : commands.dispatch(
              { type: 'SendVerification', key, supplied, client, ifMatch, baseUrl, languages },
              startedMs,
            ),
      present: userWithTag(200, writeUser),
    }),
    defineRoute({
      method: 'get',
      path: publicPaths.verification,
      operation: 'confirmVerification',
      summary: 'Verify an address',
      description: confirmPage === null ? linkDescription : `${linkDescription} ${confirmPageDescription}`,
      tag: 'Verification',
      authenticated: false,
      parameters: { email, token, responseType, ifMatch, language },
      responses: {
        200: {
          ...describeUser('The verified user.', { verified: true, verificationToken: token.example, later: true }),
          page: confirmPage !== null,
        },
        303: {
          description: 'With `response_type=html`: redirects to the success page.',
          headers: { Location: 'The path of the success page.' },
        },
      },
      refusals: [...wrongToken, ...unknownUser, 'contended', 'stale_user'],
      refusalPage: (request, status, code) =>
        asksForPage(request) ? failurePage(pageLanguage(request), 'verification', status, code) : undefined,
      handle: ({ email, token, responseType, ifMatch }, _, startedMs) =>
        responseType === 'html' && confirmPage !== null
          ? queries.dispatch({ type: 'CheckVerification', key: email, token })
          : commands.dispatch({ type: 'ConfirmVerification', key: email, token, ifMatch }, startedMs),
      present: (stored, { token, responseType, language }) => {
        if (responseType === 'json') return userWithTag(200, writeUser)(stored);
        const { user } = stored;
        return confirmPage === null || user.email.verified
          ? toSuccessPage(publicUrl)
          : confirmPage(user, token, language);
      },
    }),
    defineRoute({
      method: 'post',
      path: `${publicPaths.verification}/reset`,
      operation: 'resetVerification',
      summary: 'Reset the verification',
      description: 'Marks the address as not verified and removes the token.',
      tag: 'Verification',
      authenticated: true,
      parameters: { key: email, ...caller, ifMatch },
      responses: { 200: describeUser('The user, not verified.', { later: true }) },
      refusals: [...wrongPassword, ...unknownUser, 'contended', 'stale_user'],
      hashesPassword: options.checksHeader,
      handle: (change, _, startedMs) => commands.dispatch({ type: 'ResetVerification', ...change }, startedMs),
      present: userWithTag(200, writeUser),
    }),
    defineRoute({
      method: 'get',
      path: `${publicPaths.verification}/success`,
      operation: 'showSuccess',
      summary: 'The success page',
      description: 'The page at the end of the link.',
      tag: 'Verification',
      authenticated: false,
      parameters: { language },
      responses: {
        200: { description: 'An HTML page.', content: { type: 'text/html', schema: { type: 'string' } } },
      },
      refusals: [],
      handle: ({ language }) => right(successPage ?? page('done', language.texts.verification.done, language)),
      present: pageReply,
    }),
  ];
};
