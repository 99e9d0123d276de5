import { anyCaller, type CallerInput, throttledCaller } from '../../adapters/http/api/caller.ts';
import { type Route, withoutRefusal, withRefusalOfClients } from '../../adapters/http/api/route.ts';
import type { UserPresenter } from '../../adapters/http/api/user-presenter.ts';
import { userRoutes } from '../../adapters/http/api/user-routes.ts';
import { verificationRoutes } from '../../adapters/http/api/verification-routes.ts';
import { customPagePolicy, pagePolicy, successPage } from '../../adapters/http/pages/link-pages.ts';
import type { CommandBus, QueryBus } from '../../application/bus.ts';
import type { Configuration } from '../configuration/index.ts';

/** Where messages go. */
interface Buses {
  readonly commands: CommandBus;
  readonly queries: QueryBus;
}

/** The routes as the document describes them: with what this configuration refuses, and without what it never does. */
const describedRoutes = (routes: readonly Route[], { auth, privacy }: Configuration): readonly Route[] => {
  const fetchesKeys = auth?.type === 'oauth' && auth.jwksUrl !== null;
  const known = privacy.hideUnknownUsers ? routes.map(withoutRefusal('user_not_found')) : routes;
  return fetchesKeys ? known.map(withRefusalOfClients('keys_unavailable')) : known;
};

const callerOf = async ({ passwordHash, throttle }: Configuration): Promise<CallerInput> => {
  if (throttle === null) return anyCaller(passwordHash.headerCheck);
  if (throttle.limits.clientFailures === 0) return throttledCaller(null);
  // Loaded only where addresses are counted.
  const { connectionAddress, namedAddress } = await import('../../adapters/http/api/client-address.ts');
  return throttledCaller(throttle.clientHeader === null ? connectionAddress : namedAddress(throttle.clientHeader));
};

const servedRoutes = async (
  configuration: Configuration,
  presenter: UserPresenter,
  { commands, queries }: Buses,
): Promise<readonly Route[]> => {
  const { email, server } = configuration;
  const caller = await callerOf(configuration);
  const users = userRoutes(commands, queries, caller, presenter);
  if (email === null) return users;
  const custom = email.message.successPage;
  const page = custom === null ? { html: successPage, policy: pagePolicy } : { html: custom, policy: customPagePolicy };
  const links = { publicUrl: server.publicUrl, tokensExpire: email.tokenLifetime !== null };
  // Loaded only where a link opens it.
  const confirmPage = email.confirmPage
    ? (await import('../../adapters/http/api/confirm-page-route.ts')).confirmPageOf(commands, queries, links)
    : null;
  const pages = { ...links, successPage: page, mailsWait: email.resendInterval !== null, confirmPage };
  const verification = verificationRoutes(commands, caller, presenter, pages);
  return [...users, ...verification, ...(confirmPage === null ? [] : [confirmPage.route])];
};

/** The routes that this configuration serves: those of the verification only where mails are sent. */
export const routesOf = async (
  configuration: Configuration,
  presenter: UserPresenter,
  buses: Buses,
): Promise<readonly Route[]> => describedRoutes(await servedRoutes(configuration, presenter, buses), configuration);
