import { ignoredPassword, password } from '../../adapters/http/api/parameters.ts';
import type { Parameter, Route, RouteOptions } from '../../adapters/http/api/route-types.ts';
import { userRoutes } from '../../adapters/http/api/user-routes.ts';
import { userResponses } from '../../adapters/http/api/user-schema.ts';
import { verificationRoutes } from '../../adapters/http/api/verification-routes.ts';
import { customPagePolicy, pagePolicy, successPage } from '../../adapters/http/pages/link-pages.ts';
import { userJson, userJsonWithoutPassword } from '../../adapters/kit/user-json.ts';
import type { CommandBus, QueryBus } from '../../application/bus.ts';
import type { Configuration } from '../configuration/index.ts';

/** How a route reads the client address; null unless wrong passwords are counted for addresses. */
const clientAddressOf = async (throttle: Configuration['throttle']): Promise<Parameter<string | undefined> | null> => {
  if (throttle === null || throttle.limits.clientFailures === 0) return null;
  const { connectionAddress, namedAddress } = await import('../../adapters/http/api/client-address.ts');
  return throttle.clientHeader === null ? connectionAddress : namedAddress(throttle.clientHeader);
};

const optionsOf = async ({ passwordHash, throttle, privacy }: Configuration): Promise<RouteOptions> => {
  const client = await clientAddressOf(throttle);
  return {
    caller: { supplied: passwordHash.headerCheck ? password : ignoredPassword, ...(client !== null && { client }) },
    wrongPassword: throttle === null ? ['wrong_password'] : ['wrong_password', 'too_many_attempts'],
    unknownUser: privacy.hideUnknownUsers ? [] : ['user_not_found'],
    writeUser: privacy.hidePasswords ? userJsonWithoutPassword : userJson,
    describeUser: userResponses(!privacy.hidePasswords),
  };
};

/** The routes that this configuration serves. Without mails there are no routes for verification. */
export const publicRoutes = async (
  configuration: Configuration,
  commands: CommandBus,
  queries: QueryBus,
): Promise<readonly Route[]> => {
  const { email, server, verification: tokens } = configuration;
  const options = await optionsOf(configuration);
  const routes = userRoutes(commands, queries, options);
  if (email === null) return routes;
  const custom = email.message.successPage;
  const confirmPage = email.confirmPage ? await import('../../adapters/http/api/confirm-page-route.ts') : null;
  const verification = {
    ...options,
    publicUrl: server.publicUrl,
    successPage:
      custom === null ? { html: successPage, policy: pagePolicy } : { html: custom, policy: customPagePolicy },
    wrongToken:
      tokens.tokenLifetimeMs === null ? (['token_mismatch'] as const) : (['token_mismatch', 'token_expired'] as const),
    tooSoon: tokens.resendIntervalMs === null ? [] : (['resend_too_soon'] as const),
    confirmPage: confirmPage?.presentConfirmPage ?? null,
  };
  return [
    ...routes,
    ...verificationRoutes(commands, queries, verification),
    ...(confirmPage === null ? [] : [confirmPage.confirmPageRoute(commands, verification)]),
  ];
};
