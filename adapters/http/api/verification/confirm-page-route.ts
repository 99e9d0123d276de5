import type { CommandBus } from '../../../../application/bus.ts';
import type { User } from '../../../../domain/user.ts';
import { buttonPage } from '../../pages/form-pages.ts';
import { type HtmlPage, pageReply } from '../../pages/link-pages.ts';
import { aboutAddress, askText, type PageLanguage } from '../../pages/page-texts.ts';
import { publicPaths } from '../../paths.ts';
import type { Reply } from '../../server/response.ts';
import { failurePages, inLanguage, languageOfPages } from '../page-routes.ts';
import { ifMatch, token } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import type { Route } from '../route-types.ts';
import { confirmRefusals, toSuccessPage, type VerificationOptions } from './verification-routes.ts';

/** The page that a verification link opens: a button that sends the address and the token. */
export const confirmPage = (address: string, token: string, language: PageLanguage): HtmlPage => {
  const values = `email=${encodeURIComponent(address)}&token=${encodeURIComponent(token)}`;
  const text = aboutAddress(askText('verification', language), address, language);
  // Relative to /verify, so that it works under every host name and behind a proxy that adds a path.
  return buttonPage(text, language, inLanguage(`verify/confirm?${values}`, language));
};

/** The page that a link opens if `email.confirmPage` is on. Mail scanners follow links, so only its button verifies. */
export const presentConfirmPage = (user: User, token: string, language: PageLanguage): Reply =>
  pageReply(confirmPage(user.email.address, token, language));

/** `POST /verify/confirm`, to which the button of the confirmation page sends its form. */
export const confirmPageRoute = (
  commands: CommandBus,
  { keys, publicUrl, pageLanguage }: Pick<VerificationOptions, 'keys' | 'publicUrl' | 'pageLanguage'>,
): Route =>
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
