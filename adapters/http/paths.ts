/** The paths on the public port that other parts of the service link to. */
export const publicPaths = {
  users: '/users',
  verification: '/verify',
  recovery: '/recovery',
  invitation: '/invitation',
  addressMove: '/change',
  addressMoveCancellation: '/change/cancel',
  documentation: '/swagger',
} as const;

/** The paths on the admin port that other parts of the service link to. */
export const adminPaths = {
  administration: '/admin',
  user: '/admin/user',
  createUser: '/admin/create-user',
  waitingMails: '/admin/waiting-mails',
  signOut: '/admin/sign-out',
  index: '/',
  keptMails: '/outbox',
  health: '/healthcheck',
  metrics: '/metrics',
} as const;

/** The query parameter of links and pages that names their language, where several are configured. */
export const localeParameter = 'locale';

/** Adds the tag of a configured language to a link. */
export const withLocale = (link: string, locale: string): string =>
  `${link}${link.includes('?') ? '&' : '?'}${localeParameter}=${locale}`;

/** The part of a query that names the user of a link, and has its token. */
export const tokenQuery = (address: string, token: string): string =>
  `email=${encodeURIComponent(address)}&token=${encodeURIComponent(token)}`;

/** The link of a verification mail, which a person opens. `baseUrl` is the public address, without a trailing slash. */
export const verificationLink = (baseUrl: string, address: string, token: string): string =>
  `${baseUrl}${publicPaths.verification}?${tokenQuery(address, token)}&response_type=html`;

/** The link of any other mail. `pageUrl` is a page of the service or of the application, and may have a query. */
export const pageLink =
  (pageUrl: string) =>
  (address: string, token: string): string =>
    `${pageUrl}${pageUrl.includes('?') ? '&' : '?'}${tokenQuery(address, token)}`;
