// The parts of the public port that depend on the configuration.
import { identity } from 'fp-ts/lib/function.js';
import { passwordCheckRoute } from '../../adapters/http/api/accounts/password-check-route.ts';
import {
  checkedPassword,
  ignoredPassword,
  omissiblePassword,
} from '../../adapters/http/api/accounts/password-header.ts';
import { propertyAccess, visibleTo, withHiddenProperties } from '../../adapters/http/api/accounts/property-limits.ts';
import { exampleProperties } from '../../adapters/http/api/accounts/property-schemas.ts';
import { userBodies } from '../../adapters/http/api/accounts/user-bodies.ts';
import { userRoutes } from '../../adapters/http/api/accounts/user-routes.ts';
import { type HiddenFields, userResponses, userSchema } from '../../adapters/http/api/accounts/user-schema.ts';
import { defineResource } from '../../adapters/http/api/route.ts';
import type { RouteOptions } from '../../adapters/http/api/route-options.ts';
import type { Route } from '../../adapters/http/api/route-types.ts';
import { userKeys } from '../../adapters/http/api/user-key.ts';
import { verificationRoutes } from '../../adapters/http/api/verification/verification-routes.ts';
import { clientPermissions } from '../../adapters/http/authentication/permissions.ts';
import { documentationRoutes } from '../../adapters/http/openapi/documentation.ts';
import { customPagePolicy } from '../../adapters/http/pages/link-pages.ts';
import { publicPaths } from '../../adapters/http/paths.ts';
import type { JsonObject } from '../../adapters/kit/exact-json.ts';
import {
  bodyDecoder,
  withId,
  withoutPasswordTime,
  withPasswordTime,
} from '../../adapters/kit/user-json/optional-members.ts';
import { accessOf, type PropertyAccess } from '../../adapters/kit/user-json/property-access.ts';
import { userJson, userJsonWithoutPassword } from '../../adapters/kit/user-json/user-writer.ts';
import { CommandBus, QueryBus } from '../../application/bus.ts';
import { clientKeysOf } from '../configuration/auth-block.ts';
import type { Configuration } from '../configuration/index.ts';
import { developmentKeyIn } from '../configuration/key-block.ts';
import { limitsClients } from '../configuration/key-permissions.ts';
import type { ApiAdditions, Feature, LinkPages, Services } from '../features/feature.ts';
import { apiOf } from '../features/index.ts';

/** The fields that responses leave out. */
const hiddenFields = ({ hidePasswords }: Configuration['privacy']): HiddenFields =>
  new Set(hidePasswords ? ['password'] : []);

/** What the keys may do with custom properties that may not do everything. */
const accessesIn = ({ auth }: Configuration): readonly PropertyAccess[] =>
  clientKeysOf(auth).flatMap(({ properties }) => (properties === null ? [] : accessOf(properties)));

/** How routes read, write and describe users. */
const usersOf = (
  configuration: Configuration,
  api: ApiAdditions,
): Pick<RouteOptions, 'decoder' | 'writeUser' | 'propertyLimits' | 'bodies' | 'describeUser'> => {
  const { privacy, properties, verification } = configuration;
  const accesses = accessesIn(configuration);
  const { passwordTime = false, ids = false, addressMove } = api;
  const plain = { trimBody: identity, writeUser: privacy.hidePasswords ? userJsonWithoutPassword : userJson };
  const { trimBody, writeUser } = addressMove ?? plain;
  const trim = passwordTime ? (body: JsonObject) => withoutPasswordTime(trimBody(body)) : trimBody;
  const write = ids ? withId(writeUser) : writeUser;
  const isBodyTrusted = verification.verificationOnUpdate === 'body';
  return {
    decoder: bodyDecoder(trim, ids),
    writeUser: visibleTo(passwordTime ? withPasswordTime(write) : write, accesses),
    propertyLimits: accesses.length === 0 ? {} : { access: propertyAccess },
    bodies: userBodies(properties, api, addressMove !== undefined, isBodyTrusted),
    describeUser: userResponses(hiddenFields(privacy), api, exampleProperties(properties, { name: 'Jane' })),
  };
};

const routeOptions = (configuration: Configuration, api: ApiAdditions): RouteOptions => {
  const { client, mailLanguages: languages, addressMove, signUp } = api;
  const mailLanguages = languages === undefined ? {} : { languages };
  const sentPassword = limitsClients(configuration.auth) ? omissiblePassword : checkedPassword;
  return {
    caller: {
      supplied: configuration.passwordHash.headerCheck ? sentPassword : ignoredPassword,
      ...(client !== undefined && { client }),
    },
    ...(signUp !== undefined && { signUp }),
    keys: userKeys(api),
    mailLanguages,
    editLanguages: addressMove === undefined ? {} : mailLanguages,
    ...usersOf(configuration, api),
  };
};

/** The routes of `/verify`; none unless mails are sent. */
const openVerificationRoutes = async (
  { email, server }: Configuration,
  options: RouteOptions,
  { get, pages }: Services,
): Promise<readonly Route[]> => {
  if (email === undefined) return [];
  const [commands, queries] = [get(CommandBus), get(QueryBus)];
  const custom = email.message.successPage;
  return verificationRoutes(commands, queries, {
    ...options,
    publicUrl: server.publicUrl,
    successPage: custom === null ? null : { html: custom, policy: customPagePolicy },
    pageLanguage: await pages.languageOf('verification'),
    opensPage: email.confirmPage,
    mailsCodes: email.codes !== undefined,
  });
};

/** The description of the API; empty if it is not published. */
const documentationOf = (configuration: Configuration, api: ApiAdditions, routes: readonly Route[]) => {
  const { openApi, auth, server, privacy } = configuration;
  const { ids = false, unique = [], addressMove, signUp } = api;
  const limitsProperties = accessesIn(configuration).length > 0;
  if (!openApi.enabled) return [];
  return documentationRoutes(
    {
      information: openApi,
      security: auth?.type ?? 'none',
      publicUrl: server.publicUrl,
      ids,
      unique,
      ...(signUp !== undefined && { signUp: signUp.codes }),
      ...(limitsClients(auth) && {
        permissions: { names: clientPermissions, prefix: (auth?.type === 'oauth' && auth.scopePrefix) || '' },
      }),
      limitsProperties,
      user: userSchema(hiddenFields(privacy), api, new Set(addressMove === undefined ? [] : ['pending'])),
      keysOption: 'auth.keys',
      earlierCodes: ({ requires, refusals }) => {
        if (requires === 'nothing') return [];
        const usesProperties = refusals.includes('not_permitted') || unique.length > 0;
        const isLimited = limitsClients(auth) || (usesProperties && limitsProperties);
        return ['keys_unavailable', ...(isLimited ? (['not_permitted'] as const) : [])];
      },
      developmentKey: developmentKeyIn(clientKeysOf(auth)),
    },
    routes,
  );
};

/** Where `/` leads to: people who open it look for the product, unless it is said that they develop with the API. */
const rootOf = ({ openApi }: Configuration, { product }: LinkPages): readonly Route[] => {
  // Relative, so that it works behind a proxy that adds a path.
  const Location = openApi.enabled && openApi.redirectRoot ? publicPaths.documentation.slice(1) : product?.url;
  return Location === undefined
    ? []
    : [defineResource('/', async () => ({ status: 302, headers: { Location }, body: '' }))];
};

/** The routes of the public port. */
export const openRoutes = async (
  configuration: Configuration,
  features: readonly Feature[],
  services: Services,
): Promise<readonly Route[]> => {
  const [commands, queries] = [services.get(CommandBus), services.get(QueryBus)];
  const api = apiOf(features);
  const options = routeOptions(configuration, api);
  const open = [
    ...userRoutes(commands, queries, options),
    passwordCheckRoute(queries, options),
    ...(await openVerificationRoutes(configuration, options, services)),
  ];
  for (const feature of features) open.push(...((await feature.routes?.(services, options)) ?? []));
  const hidesProperties = accessesIn(configuration).some(({ read }) => read !== undefined);
  const unique = api.unique?.map(({ name }) => name) ?? [];
  const routes = hidesProperties ? open.map(withHiddenProperties(unique)) : open;
  const detailed = options.keys.withDetails(routes);
  return [...detailed, ...rootOf(configuration, services.pages), ...documentationOf(configuration, api, detailed)];
};
