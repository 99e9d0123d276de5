import type { RouteOptions } from '../../adapters/http/api/route-options.ts';
import type { Route } from '../../adapters/http/api/route-types.ts';
import type { RecoveryBus } from '../../application/bus.ts';
import type { Configuration } from '../configuration/index.ts';
import { hasRecoveryPage } from '../configuration/recovery-block.ts';
import { openPageLanguages } from './page-languages.ts';

/** The page for a new password; none if mails contain a code, or a link to another page. */
const openRecoveryPages = async (
  { recovery, email, server: { publicUrl } }: Configuration,
  options: RouteOptions,
  bus: RecoveryBus,
): Promise<readonly Route[]> => {
  if (recovery === null || email === null || publicUrl === null || !hasRecoveryPage(recovery)) return [];
  const { recoveryPageRoutes } = await import('../../adapters/http/api/recovery/recovery-page-routes.ts');
  const pageLanguage = await openPageLanguages(email, 'recovery');
  return recoveryPageRoutes(bus, { ...options, pageLanguage, publicUrl });
};

/** The routes of `/recovery`. */
export const openRecoveryRoutes = async (
  configuration: Configuration,
  options: RouteOptions,
  bus: RecoveryBus,
): Promise<readonly Route[]> => {
  const { recovery } = configuration;
  const routes = await import('../../adapters/http/api/recovery/recovery-routes.ts');
  const pages = await openRecoveryPages(configuration, options, bus);
  return [
    ...pages,
    recovery?.deliver === 'caller' ? routes.issueRecoveryRoute(bus) : routes.requestRecoveryRoute(bus, options),
    routes.confirmRecoveryRoute(bus, options),
  ];
};
