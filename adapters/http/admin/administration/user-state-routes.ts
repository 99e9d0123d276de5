import type { Administration, AdministrationBus } from '../../../../application/bus.ts';
import { mergePatch } from '../../../kit/merge-patch.ts';
import { usersTag } from '../../api/accounts/user-schema.ts';
import { ifMatch } from '../../api/parameters.ts';
import { defineRoute, defineRouteWithBody } from '../../api/route.ts';
import type { Route } from '../../api/route-types.ts';
import { json, userWithTag } from '../../server/response.ts';
import { type AdministeredForm, disablementBody, passwordBody, propertiesBody } from './administered-user.ts';
import { addressInPath } from './administration-parameters.ts';

const commonOf = ({ writeUser, describeUser, ruledOut }: AdministeredForm) =>
  ({
    tag: usersTag,
    ruledOut,
    authenticated: true,
    parameters: { key: addressInPath, ifMatch },
    responses: { 200: describeUser('The user after the change.') },
    present: userWithTag(200, writeUser),
  }) as const;

type Common = ReturnType<typeof commonOf>;

const userPath = '/admin/users/:address';

type CountedAttempts = Extract<Administration['GetAttempts']['result'], { readonly _tag: 'Right' }>['right'];

const countOf = ({ failures, blockedForMs }: CountedAttempts['passwords']) => ({
  failures,
  blockedForSeconds: Math.ceil(blockedForMs / 1000),
});

const attemptsJson = ({ passwords, tokens }: CountedAttempts): string =>
  JSON.stringify({ ...countOf(passwords), ...(tokens === null ? {} : { recovery: countOf(tokens) }) });

const countMembers = { failures: { type: 'integer' }, blockedForSeconds: { type: 'integer' } } as const;
const requiredMembers = ['failures', 'blockedForSeconds'] as const;

/** The route that edits custom properties. */
const editRoute = (
  bus: AdministrationBus,
  common: Common,
  { properties, trimBody, ignoredNames }: AdministeredForm,
): Route =>
  defineRouteWithBody({
    ...common,
    method: 'patch',
    path: userPath,
    operation: 'editProperties',
    summary: 'Edit custom properties',
    description: 'Applies a JSON merge patch to the custom properties of the newest version of the user.',
    body: propertiesBody(properties, trimBody, ignoredNames),
    refusals: ['invalid_properties', 'user_not_found', 'user_too_large', 'stale_user', 'contended'],
    handle: (change, patch, startedMs) => {
      const changeProperties = (properties: typeof patch) => mergePatch(properties, patch);
      return bus.dispatch({ type: 'EditProperties', ...change, supplied: undefined, changeProperties }, startedMs);
    },
  });

/** The routes with which an administrator disables and enables a user. */
const disablingRoutes = (bus: AdministrationBus, common: Common): readonly Route[] => [
  defineRouteWithBody({
    ...common,
    method: 'post',
    path: `${userPath}/disable`,
    operation: 'disableUser',
    summary: 'Disable a user',
    description: 'Refuses every request with the password of the user, for good or until a time.',
    body: disablementBody,
    refusals: ['user_not_found', 'stale_user', 'contended'],
    handle: (change, { reason, until }, startedMs) =>
      bus.dispatch({ type: 'DisableUser', ...change, supplied: undefined, reason, until }, startedMs),
  }),
  defineRoute({
    ...common,
    method: 'post',
    path: `${userPath}/enable`,
    operation: 'enableUser',
    summary: 'Enable a user',
    description: 'Lets a disabled user log in again.',
    refusals: ['user_not_found', 'stale_user', 'contended'],
    handle: (change, _, startedMs) => bus.dispatch({ type: 'EnableUser', ...change, supplied: undefined }, startedMs),
  }),
];

/** The routes for the password of a user. */
const passwordRoutes = (bus: AdministrationBus, common: Common): readonly Route[] => [
  defineRoute({
    ...common,
    method: 'post',
    path: `${userPath}/require-password-change`,
    operation: 'requirePasswordChange',
    summary: 'Require a new password',
    description: 'Refuses every request with the password of the user except for an update that sets another one.',
    refusals: ['user_not_found', 'stale_user', 'contended'],
    handle: (change, _, startedMs) =>
      bus.dispatch({ type: 'RequirePasswordChange', ...change, supplied: undefined }, startedMs),
  }),
  defineRoute({
    ...common,
    method: 'post',
    path: `${userPath}/withdraw-password-change`,
    operation: 'withdrawPasswordChange',
    summary: 'Require no new password any more',
    description: 'Lets a user who had to set a new password keep the current one.',
    refusals: ['user_not_found', 'stale_user', 'contended'],
    handle: (change, _, startedMs) =>
      bus.dispatch({ type: 'WithdrawPasswordChange', ...change, supplied: undefined }, startedMs),
  }),
  defineRouteWithBody({
    ...common,
    method: 'put',
    path: `${userPath}/password`,
    operation: 'setPassword',
    summary: 'Set a password',
    description: 'Gives a user another password. A change that was required stays required.',
    body: passwordBody,
    refusals: ['weak_password', 'user_not_found', 'unsuitable_password', 'user_too_large', 'stale_user', 'contended'],
    handle: (change, { password }, startedMs) =>
      bus.dispatch({ type: 'SetPassword', ...change, supplied: undefined, password }, startedMs),
  }),
  defineRoute({
    ...common,
    method: 'delete',
    path: `${userPath}/password`,
    operation: 'clearPassword',
    mayOverload: true,
    summary: 'Clear a password',
    description: 'Removes the password of a user: every password is wrong until a new one is set.',
    refusals: ['user_not_found', 'user_too_large', 'stale_user', 'contended'],
    handle: (change, _, startedMs) =>
      bus.dispatch({ type: 'ClearPassword', ...change, supplied: undefined }, startedMs),
  }),
];

/** The routes for the wrong passwords and tokens that are counted for a user. */
const attemptRoutes = (bus: AdministrationBus, common: Common): readonly Route[] => [
  defineRoute({
    ...common,
    parameters: { key: addressInPath },
    method: 'get',
    path: `${userPath}/attempts`,
    operation: 'inspectAttempts',
    summary: 'Read the wrong passwords of a user',
    description:
      'How many wrong passwords are counted for a user, and how long they block it; with recoveries, the same about wrong tokens.',
    responses: {
      200: {
        description: 'The count, and the remaining seconds of a block; 0 without one.',
        content: {
          type: 'application/json',
          schema: {
            title: 'AttemptCount',
            type: 'object',
            required: requiredMembers,
            properties: {
              ...countMembers,
              recovery: {
                type: 'object',
                description: 'The wrong tokens and codes; only with the block `recovery`.',
                required: requiredMembers,
                properties: countMembers,
              },
            },
          },
        },
      },
    },
    refusals: ['user_not_found'],
    handle: ({ key }) => bus.dispatch({ type: 'GetAttempts', key }),
    present: json(200, attemptsJson),
  }),
  defineRoute({
    ...common,
    parameters: { key: addressInPath },
    method: 'post',
    path: `${userPath}/unblock`,
    operation: 'unblockUser',
    summary: 'Unblock a user',
    description:
      'Resets the counts of wrong passwords, tokens and codes of a user, which ends every block. Client addresses stay blocked.',
    refusals: ['user_not_found'],
    handle: ({ key }) => bus.dispatch({ type: 'UnblockUser', key }),
  }),
];

/** The routes with which an administrator helps, or stops, a user. */
export const userStateRoutes = (bus: AdministrationBus, form: AdministeredForm): readonly Route[] => {
  const common = commonOf(form);
  return [
    editRoute(bus, common, form),
    ...disablingRoutes(bus, common),
    ...passwordRoutes(bus, common),
    ...attemptRoutes(bus, common),
  ];
};
