import type { CommandBus } from '../../../../application/bus.ts';
import { buttonPage } from '../../pages/form-pages.ts';
import type { HtmlPage } from '../../pages/link-pages.ts';
import type { PageLanguage } from '../../pages/page-texts.ts';
import { publicPaths, tokenQuery } from '../../paths.ts';
import type { Reply } from '../../server/response.ts';
import { failurePages, inLanguage, languageOfPages, type PageLanguageChoice, toPage } from '../page-routes.ts';
import { ifMatch, token } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import type { RouteOptions } from '../route-options.ts';
import type { Route } from '../route-types.ts';

/** What the pages of verification links need. */
export interface LinkOptions extends Pick<RouteOptions, 'keys'> {
  /** The public address of the service, without a trailing slash; null takes it from the request. */
  readonly publicUrl: string | null;
  readonly pageLanguage: PageLanguageChoice;
}

/** How a link is refused. */
export const linkRefusals = ['token_mismatch', 'token_expired', 'user_not_found', 'contended', 'stale_user'] as const;

/** How a code is refused too. The button of the confirmation page lists it, because it has the same use case. */
export const confirmRefusals = [...linkRefusals, 'too_many_attempts'] as const;

export const successPath = `${publicPaths.verification}/success`;

export const toSuccessPage = (publicUrl: string | null, language: PageLanguage): Reply =>
  toPage(publicUrl, successPath, language);

/**
 * The page that a link opens if `email.confirmPage` is on: a button that sends the address and the token. Mail scanners
 * follow links, so only the button verifies.
 */
export const confirmPage = (address: string, token: string, language: PageLanguage): HtmlPage => {
  // Relative to /verify, so that it works under every host name and behind a proxy that adds a path.
  const action = inLanguage(`verify/confirm?${tokenQuery(address, token)}`, language);
  return buttonPage('verification', address, language, action);
};

/** `POST /verify/confirm`, to which the button of the confirmation page sends its form. */
export const confirmPageRoute = (commands: CommandBus, { keys, publicUrl, pageLanguage }: LinkOptions): Route =>
  defineRoute({
    method: 'post',
    path: `${publicPaths.verification}/confirm`,
    operation: 'pressConfirm',
    requires: 'nothing',
    document: null,
    parameters: { key: keys.query(), token, ifMatch, language: languageOfPages(pageLanguage) },
    refusals: confirmRefusals,
    refusalPage: failurePages('verification', pageLanguage),
    handle: ({ key, token, ifMatch }, _, startedMs) =>
      commands.dispatch({ type: 'ConfirmVerification', key, token, ifMatch }, startedMs),
    present: (_, { language }) => toSuccessPage(publicUrl, language),
  });
