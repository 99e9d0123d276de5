import { left, right } from 'fp-ts/lib/Either.js';
import type { CommandBus, QueryBus } from '../../../../application/bus.ts';
import type { UserKey } from '../../../../domain/user-name.ts';
import { type HtmlPage, linkPage, pageReply } from '../../pages/link-pages.ts';
import { publicPaths } from '../../paths.ts';
import { userWithTag } from '../../server/response.ts';
import { callerRefusals } from '../accounts/password-header.ts';
import { failurePages, ifAskedFor, languageOfPages, lastPageRoute, responseType } from '../page-routes.ts';
import { connectionInput, email, ifMatch, token } from '../parameters.ts';
import { detailsAboutTokens } from '../problems.ts';
import { refusal } from '../refusal.ts';
import { defineRoute } from '../route.ts';
import type { RouteOptions } from '../route-options.ts';
import type { Parameter, Route, Tag } from '../route-types.ts';
import {
  confirmPage,
  confirmPageRoute,
  confirmRefusals,
  type LinkOptions,
  linkRefusals,
  successPath,
  toSuccessPage,
} from './confirm-page-route.ts';

/** Settings of the verification routes. */
interface VerificationOptions extends RouteOptions, LinkOptions {
  /** The operator's page for GET /verify/success; null for the built-in one. */
  readonly successPage: HtmlPage | null;
  /** Whether the link in the mail opens a page with a button, instead of verifying by itself. */
  readonly opensPage: boolean;
  /** Whether mails contain a code instead of a link. */
  readonly mailsCodes?: boolean;
}

/** The operations about the address of a user. */
export const verificationTag: Tag = { name: 'Verification', description: 'Verification of email addresses.' };

// RFC 3986, section 3.2. The host becomes part of the link in a mail, so no other text may pass.
const hostPattern = /^(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * The public address of the service, without a trailing slash: the configured one, or the scheme and host of the
 * request. Undefined if the request names no valid host.
 */
const baseUrl = (publicUrl: string | null): Parameter<string | undefined> =>
  connectionInput('Host', ({ protocol, host }) => {
    if (publicUrl !== null) return right(publicUrl);
    // Behind a proxy, this is a forwarded header with any text.
    return right(hostPattern.test(host) && protocol !== '' ? `${protocol}://${host}` : undefined);
  });

const linkDescription =
  'Marks the address as verified. The link in the mail leads here and can be followed several times.';
const confirmPageDescription =
  'With `email.confirmPage` and `response_type=html`, nothing changes: the response is a page whose button verifies the address, or a redirect to the success page if it is verified already.';

const codeDescription =
  'Marks the address as verified. The application sends the code of the mail as the token; it can be sent several times until it expires. After `email.attempts` wrong codes for an address every code is refused for a while.';

const sendsLink =
  'Stores a new verification token, marks the address as not verified, and mails a link with the token. If the mail fails, the token stays, and another call replaces it.';
const sendsCode =
  'Stores a digest of a new code as the verification token, marks the address as not verified, and mails the code. If the mail fails, another call replaces it.';

/** The routes of `/verify` (docs/verification.md). */
export const verificationRoutes = (
  commands: CommandBus,
  queries: QueryBus,
  options: VerificationOptions,
): readonly Route[] => {
  const { caller, publicUrl, successPage, opensPage, mailsCodes = false, pageLanguage } = options;
  const language = languageOfPages(pageLanguage);
  const { keys, writeUser, describeUser, mailLanguages } = options;
  const key = keys.query();
  // A code can be guessed, and a name that its user changes at will would have another count each time.
  const confirmKey: Parameter<UserKey> = mailsCodes ? email : key;
  const client: Pick<RouteOptions['caller'], 'client'> =
    mailsCodes && caller.client !== undefined ? { client: caller.client } : {};
  const common = { tag: verificationTag };
  return [
    defineRoute({
      ...common,
      method: 'post',
      path: publicPaths.verification,
      operation: 'sendVerification',
      summary: 'Send a verification mail',
      description: mailsCodes ? sendsCode : sendsLink,
      requires: 'verify',
      parameters: { key, ...caller, ifMatch, baseUrl: baseUrl(publicUrl), ...mailLanguages },
      responses: {
        200: describeUser('The mail was sent; the user has the token.', {
          verificationToken: token.example,
          later: true,
        }),
      },
      refusals: [...callerRefusals, 'resend_too_soon', 'contended', 'stale_user'],
      sendsMail: true,
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
      ...common,
      method: 'get',
      path: publicPaths.verification,
      operation: 'confirmVerification',
      summary: 'Verify an address',
      description: mailsCodes
        ? codeDescription
        : opensPage
          ? `${linkDescription} ${confirmPageDescription}`
          : linkDescription,
      details: { too_many_attempts: detailsAboutTokens.too_many_attempts },
      // Checks of codes wait for each other.
      mayOverload: mailsCodes,
      // A person opens a link without a key. A code can be guessed and blocked, and only the application sends it.
      requires: mailsCodes ? 'verify' : 'nothing',
      parameters: { key: confirmKey, token, responseType, ifMatch, language, ...client },
      responses: {
        200: {
          ...describeUser('The verified user.', { verified: true, verificationToken: token.example, later: true }),
          page: opensPage,
        },
        303: {
          description: 'With `response_type=html`: redirects to the success page.',
          headers: { Location: 'The path of the success page.' },
        },
      },
      refusals: mailsCodes ? confirmRefusals : linkRefusals,
      refusalPage: ifAskedFor(failurePages('verification', pageLanguage)),
      handle: ({ key, token, responseType, ifMatch, client }, _, startedMs) =>
        responseType === 'html' && opensPage
          ? queries.dispatch({ type: 'CheckVerification', key, token })
          : commands.dispatch({ type: 'ConfirmVerification', key, token, client, ifMatch }, startedMs),
      present: (stored, { token, responseType, language }) => {
        if (responseType === 'json') return userWithTag(200, writeUser)(stored);
        const { address, verification } = stored.user.email;
        return opensPage && !verification.verified
          ? pageReply(confirmPage(address, token, language))
          : toSuccessPage(publicUrl, language);
      },
    }),
    defineRoute({
      ...common,
      method: 'post',
      path: `${publicPaths.verification}/reset`,
      operation: 'resetVerification',
      summary: 'Reset the verification',
      description: 'Marks the address as not verified and removes the token.',
      requires: 'verify',
      parameters: { key, ...caller, ifMatch },
      responses: { 200: describeUser('The user, not verified.', { later: true }) },
      refusals: [...callerRefusals, 'contended', 'stale_user'],
      handle: (change, _, startedMs) => commands.dispatch({ type: 'ResetVerification', ...change }, startedMs),
      present: userWithTag(200, writeUser),
    }),
    lastPageRoute({
      path: successPath,
      operation: 'showSuccess',
      summary: 'The success page',
      description: 'The page at the end of the link.',
      tag: verificationTag,
      pageLanguage,
      pageIn: (language) => successPage ?? linkPage('done', language.texts.verification.done, language),
    }),
    ...(opensPage ? [confirmPageRoute(commands, options)] : []),
  ];
};
