import { right } from 'fp-ts/lib/Either.js';
import { identity } from 'fp-ts/lib/function.js';
import type { CommandBus } from '../../../../application/bus.ts';
import { withoutHiddenErrors } from '../../api/accounts/property-limits.ts';
import { userSchema } from '../../api/accounts/user-schema.ts';
import { defineRoute } from '../../api/route.ts';
import type { Route } from '../../api/route-types.ts';
import { userKeys } from '../../api/user-key.ts';
import { adminPermissions, permits } from '../../authentication/permissions.ts';
import { type ApiInformation, type DocumentContext, openApiDocument } from '../../openapi/openapi-document.ts';
import { staticReply } from '../../openapi/static-resource.ts';
import { accountActions } from './account-actions.ts';
import {
  type AdministeredOptions,
  type AdministrationFeatures,
  administeredOptions,
  secretFields,
  shownStates,
} from './administered-user.ts';
import { wholeRequest } from './administration-parameters.ts';
import { listingRoute } from './listing-route.ts';
import { mailRoutes } from './mail-routes.ts';
import { passwordActions } from './password-actions.ts';
import { personErasure, personInspection } from './person-routes.ts';
import { readingRoutes } from './reading-routes.ts';
import type { Buses, UserAction } from './user-action.ts';
import { type UserCreation, userCreation } from './user-creation.ts';
import type { UserReferences } from './user-references.ts';
import { verificationActions } from './verification-actions.ts';

const contextOf = (options: AdministeredOptions): DocumentContext => ({
  ids: options.ids,
  unique: options.unique,
  invites: options.invites,
  security: 'basic',
  ...(options.limitsKeys && { permissions: { names: adminPermissions, prefix: '' } }),
  publicUrl: null,
  user: userSchema(secretFields, options.shown, shownStates(options)),
  keysOption: 'admin.keys',
  earlierCodes: ({ method }) => [
    ...(['too_many_attempts', 'misdirected_request'] as const),
    ...(options.limitsKeys ? (['not_permitted'] as const) : []),
    ...(method === 'get' ? [] : (['cross_site'] as const)),
  ],
});

/** The route that describes the others as an OpenAPI document. */
const documentRoute = (routes: readonly Route[], information: ApiInformation, options: AdministeredOptions): Route => {
  const answer = staticReply(() => {
    const title = `${information.title}: administration`;
    const description = 'Users for administrators, who need no password of a user.';
    const document = openApiDocument(routes, { ...information, title, description }, contextOf(options));
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'private, no-cache' };
    return { headers, body: JSON.stringify(document, null, 2) };
  });
  return defineRoute({
    method: 'get',
    path: '/admin/openapi.json',
    operation: 'describeAdministration',
    document: null,
    requires: 'key',
    parameters: { request: wholeRequest },
    refusals: [],
    handle: async ({ request }) => right(await answer(request)),
    present: identity,
  });
};

const allActions = (commands: CommandBus, options: AdministeredOptions) => ({
  ...accountActions(commands, options),
  erase: personErasure(commands, options),
  ...verificationActions(commands, options),
  ...passwordActions(commands, options),
});

export type ActionName = keyof ReturnType<typeof allActions>;

/** The actions that the service has, by the last part of the paths of their pages. */
export type UserActions = Readonly<Partial<Record<ActionName, UserAction>>>;

/** The actions that this configuration does not offer. */
const absentActions = (
  commands: CommandBus,
  { createsUsers, invites, linkBaseUrl, moveLifetimeMs }: AdministeredOptions,
): readonly ActionName[] => [
  ...(createsUsers ? [] : (['change-address'] as const)),
  ...(invites ? [] : (['invite'] as const)),
  ...(commands.handles('StartRecovery') ? [] : (['recover'] as const)),
  ...(linkBaseUrl === null ? (['send-verification'] as const) : []),
  ...(moveLifetimeMs === null ? (['cancel-address-change'] as const) : []),
];

/**
 * The API of the administration, with its OpenAPI document unless `information` is null, the actions, which are pages as
 * well, and how users are named.
 */
export const administrationRoutes = (
  parts: Buses & AdministrationFeatures,
  information: ApiInformation | null,
): {
  readonly routes: readonly Route[];
  readonly actions: UserActions;
  readonly names: UserReferences;
  readonly creation: UserCreation | undefined;
} => {
  const { commands, queries } = parts;
  const options = administeredOptions(parts);
  const absent: readonly string[] = absentActions(commands, options);
  const actions: UserActions = Object.fromEntries(
    Object.entries(allActions(commands, options)).filter(([name]) => !absent.includes(name)),
  );
  const creation = options.createsUsers ? userCreation(commands, options) : undefined;
  const routes = userKeys({ ids: options.ids }).withDetails([
    listingRoute(queries, options),
    ...readingRoutes(queries, options),
    personInspection(queries, options),
    ...(creation === undefined ? [] : [creation.route]),
    ...Object.values(actions).map(({ route }) => withoutHiddenErrors(route, (client) => permits(client, 'read'))),
    ...(options.queuesMails ? mailRoutes(parts, options.ids) : []),
  ]);
  const document = information === null ? [] : [documentRoute(routes, information, options)];
  return { routes: [...routes, ...document], actions, names: options.names, creation };
};
