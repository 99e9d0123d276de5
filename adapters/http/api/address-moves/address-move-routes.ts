import { type Either, isLeft } from 'fp-ts/lib/Either.js';
import type { CommandBus, QueryBus } from '../../../../application/bus.ts';
import type { Failure, FailureCode } from '../../../../domain/failure.ts';
import { buttonPage } from '../../pages/form-pages.ts';
import { linkPage, pageReply } from '../../pages/link-pages.ts';
import type { PageLanguage } from '../../pages/page-texts.ts';
import { publicPaths, tokenQuery } from '../../paths.ts';
import { emptyReply, type Reply } from '../../server/response.ts';
import {
  failurePages,
  htmlPage,
  ifAskedFor,
  inLanguage,
  languageOfPages,
  lastPageRoute,
  lenientType,
  type PageLanguageChoice,
  responseType,
  toPage,
} from '../page-routes.ts';
import { optionalAddress, token } from '../parameters.ts';
import { detailsAboutTokens } from '../problems.ts';
import { defineRoute } from '../route.ts';
import type { RouteOptions } from '../route-options.ts';
import type { Route } from '../route-types.ts';
import { verificationTag } from '../verification/verification-routes.ts';

/** Settings of the routes about a new address. */
interface AddressMoveOptions extends Pick<RouteOptions, 'keys'> {
  readonly commands: CommandBus;
  readonly queries: QueryBus;
  /** The public address of the service, without a trailing slash. */
  readonly publicUrl: string;
  /** The languages of the pages that confirm a move, and of those that cancel it. */
  readonly confirmLanguage: PageLanguageChoice;
  readonly cancelLanguage: PageLanguageChoice;
}

const successPath = `${publicPaths.addressMove}/success`;
const cancelledPath = `${publicPaths.addressMove}/cancelled`;

const common = { tag: verificationTag, requires: 'nothing', details: detailsAboutTokens } as const;

/** The parameters of links. */
const ofLink = ({ keys }: AddressMoveOptions, language: PageLanguageChoice) => ({
  key: keys.query('The present address of the user, regardless of case.'),
  token: { ...token, description: 'The token of the link.' },
  language: languageOfPages(language),
});

/** Of the pages with a button, to which links lead. */
const pageOf = (options: AddressMoveOptions, language: PageLanguageChoice) => ({
  ...common,
  method: 'get' as const,
  parameters: ofLink(options, language),
  responses: { 200: htmlPage },
  refusals: ['token_mismatch', 'token_expired'] as const,
});

/** Of the requests that the button of a page and programs send alike. */
const actionOf = (options: AddressMoveOptions, language: PageLanguageChoice) => ({
  ...common,
  method: 'post' as const,
  parameters: {
    ...ofLink(options, language),
    responseType: {
      ...responseType,
      description: `\`json\` answers with 204; \`html\` redirects to a page. ${lenientType}`,
    },
  },
  responses: {
    204: { description: 'Done.' },
    303: {
      description: 'With `response_type=html`: redirects to a page.',
      headers: { Location: 'The path of the page.' },
    },
  },
});

/** Leads the button of a page to the page at `path`. Programs get no content. */
const doneAt =
  (publicUrl: string, path: string) =>
  (_: unknown, { responseType, language }: { responseType: string; language: PageLanguage }): Reply =>
    responseType === 'html' ? toPage(publicUrl, path, language) : emptyReply(204);

const newAddress = optionalAddress('address', 'The new address; only the page sends it.');

/** The query of the form, which the page of a link sends. */
const formQuery = (address: string, given: string): string => `${tokenQuery(address, given)}&response_type=html`;

/** Leads the second press of a button, which changes nothing, to the page of the first. Programs get the failure. */
const pressed = async <Code extends FailureCode, Done>(
  outcome: Either<Failure<Code>, Done>,
  type: string,
  isDone: () => Promise<Either<Failure, Done>>,
): Promise<Either<Failure<Code>, Done>> => {
  if (type !== 'html' || !isLeft(outcome) || outcome.left.code !== 'token_mismatch') return outcome;
  const done = await isDone();
  return isLeft(done) ? outcome : done;
};

/** The routes with which a person confirms a new address. */
const confirmRoutes = (options: AddressMoveOptions): readonly Route[] => {
  const { commands, queries, publicUrl, confirmLanguage } = options;
  const action = actionOf(options, confirmLanguage);
  return [
    defineRoute({
      ...pageOf(options, confirmLanguage),
      path: publicPaths.addressMove,
      operation: 'showChange',
      summary: 'The page that confirms a new address',
      description:
        'The link in the mail to a new address leads here. Nothing changes; the button of the page confirms.',
      refusalPage: failurePages('change', confirmLanguage),
      handle: ({ key, token: given }) =>
        queries.dispatch({ type: 'CheckChange', key, token: given, action: 'confirm' }),
      present: ({ user: { email, addressMove } }, { token: given, language }) => {
        const to = addressMove?.to ?? email.address;
        const query = `${formQuery(email.address, given)}&address=${encodeURIComponent(to)}`;
        return pageReply(buttonPage('change', to, language, inLanguage(`change/confirm?${query}`, language)));
      },
    }),
    defineRoute({
      ...action,
      path: `${publicPaths.addressMove}/confirm`,
      operation: 'confirmChange',
      summary: 'Confirm a new address',
      description: 'Gives the user the new address, which is then verified. The token works once.',
      refusals: ['token_mismatch', 'token_expired', 'address_taken', 'user_too_large', 'contended'],
      refusalPage: ifAskedFor(failurePages('change', confirmLanguage)),
      parameters: { ...action.parameters, newAddress },
      handle: async ({ key, token: given, responseType: type, newAddress: next }, _, startedMs) =>
        pressed(await commands.dispatch({ type: 'ConfirmChange', key, token: given }, startedMs), type, () =>
          queries.dispatch({ type: 'CheckChange', key: next ?? key, token: given, action: 'confirm', isUsed: true }),
        ),
      present: doneAt(publicUrl, successPath),
    }),
    lastPageRoute({
      path: successPath,
      operation: 'showChanged',
      summary: 'The page after a change of address',
      description: 'The page at the end of the link to a new address.',
      tag: verificationTag,
      pageLanguage: confirmLanguage,
      pageIn: (language) => linkPage('done', language.texts.change.done, language),
    }),
  ];
};

/** The routes with which the owner of the present address cancels the move. */
const cancelRoutes = (options: AddressMoveOptions): readonly Route[] => {
  const { commands, queries, publicUrl, cancelLanguage } = options;
  return [
    defineRoute({
      ...pageOf(options, cancelLanguage),
      path: publicPaths.addressMoveCancellation,
      operation: 'showCancellation',
      summary: 'The page that cancels a change of address',
      description: 'The link in the notice to the present address leads here. Nothing changes; the button cancels.',
      refusalPage: failurePages('cancellation', cancelLanguage),
      handle: ({ key, token: given }) => queries.dispatch({ type: 'CheckChange', key, token: given, action: 'cancel' }),
      present: ({ user: { email } }, { token: given, language }) => {
        const action = inLanguage(`cancel?${formQuery(email.address, given)}`, language);
        return pageReply(buttonPage('cancellation', email.address, language, action));
      },
    }),
    defineRoute({
      ...actionOf(options, cancelLanguage),
      path: publicPaths.addressMoveCancellation,
      operation: 'cancelChange',
      summary: 'Cancel a change of address',
      description: 'The user keeps the present address. The link to the new one stops working.',
      refusals: ['token_mismatch', 'token_expired', 'contended'],
      refusalPage: ifAskedFor(failurePages('cancellation', cancelLanguage)),
      handle: async ({ key, token: given, responseType: type }, _, startedMs) =>
        pressed(await commands.dispatch({ type: 'CancelChange', key, token: given }, startedMs), type, () =>
          queries.dispatch({ type: 'CheckChange', key, token: given, action: 'cancel', isUsed: true }),
        ),
      present: doneAt(publicUrl, cancelledPath),
    }),
    lastPageRoute({
      path: cancelledPath,
      operation: 'showCancelled',
      summary: 'The page after a cancelled change',
      description: 'The page at the end of the link that cancels a change of address.',
      tag: verificationTag,
      pageLanguage: cancelLanguage,
      pageIn: (language) => linkPage('done', language.texts.cancellation.done, language),
    }),
  ];
};

/** The routes of `/change`. */
export const addressMoveRoutes = (options: AddressMoveOptions): readonly Route[] =>
  [confirmRoutes, cancelRoutes].flatMap((routesOf) => routesOf(options));
