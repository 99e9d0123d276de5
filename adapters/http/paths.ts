/** The paths on the public port that other parts of the service link to. */
export const publicPaths = {
  users: '/users',
  verification: '/verify',
  recovery: '/recovery',
  invitation: '/invitation',
  addressMove: '/change',
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

/** The link of a verification mail, which a person opens. `baseUrl` is the public address, without a trailing slash. */
export const verificationLink = (baseUrl: string, address: string, token: string): string =>
  `${baseUrl}${publicPaths.verification}?email=${encodeURIComponent(address)}&token=${encodeURIComponent(token)}&response_type=html`;

/**
 * The link of a recovery mail, which a person opens. `pageUrl` may have a query; without a page of the application it is
 * that of the service.
 */
export const recoveryLink =
  (pageUrl: string) =>
  (address: string, token: string): string => {
    const separator = pageUrl.includes('?') ? '&' : '?';
    return `${pageUrl}${separator}email=${encodeURIComponent(address)}&token=${encodeURIComponent(token)}`;
  };

/** The page of the service that asks for a new password. */
export const recoveryPageUrl = (publicUrl: string): string => `${publicUrl}${publicPaths.recovery}`;

const moveLinkTo =
  (path: string) =>
  (publicUrl: string) =>
  (address: string, token: string): string =>
    `${publicUrl}${path}?email=${encodeURIComponent(address)}&token=${encodeURIComponent(token)}`;

/** The links that confirm and cancel an address move, which people open; with the present address. */
export const confirmMoveLink = moveLinkTo(publicPaths.addressMove);
export const cancelMoveLink = moveLinkTo(`${publicPaths.addressMove}/cancel`);
