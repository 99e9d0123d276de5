import * as t from 'io-ts';
import type { CommandBus, Commands } from '../../../../application/bus.ts';
import type { JsonObject } from '../../../kit/exact-json.ts';
import { isText, memberCodec, password } from '../../../kit/user-json/user-codecs.ts';
import { publicPaths } from '../../paths.ts';
import { emptyReply, json } from '../../server/response.ts';
import { timeSchema } from '../accounts/user-bodies.ts';
import { addressFormat } from '../parameters.ts';
import { detailsAboutTokens } from '../problems.ts';
import { defineRoute, defineRouteWithBody } from '../route.ts';
import type { RouteOptions } from '../route-options.ts';
import type { Route, Tag } from '../route-types.ts';
import type { UserKeys } from '../user-key.ts';

type IssuedToken = Extract<Commands['IssueRecovery']['result'], { readonly _tag: 'Right' }>['right'];

/** The operations about forgotten passwords. */
export const recoveryTag: Tag = { name: 'Recovery', description: 'Replacement of forgotten passwords.' };

const common = { tag: recoveryTag, details: detailsAboutTokens, method: 'post' } as const;

/** The route that asks for a new password, whoever sends the mail. */
const requesting = {
  ...common,
  path: publicPaths.recovery,
  operation: 'requestRecovery',
  summary: 'Request a new password',
} as const;

/** The route with which an application asks for a mail. It answers every address alike. */
export const requestRecoveryRoute = (
  commands: CommandBus,
  { keys, mailLanguages }: Pick<RouteOptions, 'keys' | 'mailLanguages'>,
): Route =>
  defineRoute({
    ...requesting,
    requires: 'recover',
    description:
      'Mails the user a link, or a code, with which a forgotten password is replaced. The response and its time are the same for every address, known or not. No mail is sent to a disabled user, or within `recovery.resendInterval` after another one.',
    parameters: { key: keys.query(), ...mailLanguages },
    responses: { 202: { description: 'The request is stored. A user with this address gets a mail.' } },
    refusals: [],
    callsStore: true,
    mayOverload: true,
    details: { overloaded: 'Too many requests for a new password are waiting. Try again later.' },
    handle: ({ key, languages = [] }) => commands.dispatch({ type: 'RequestRecovery', key, languages }),
    present: () => emptyReply(202),
  });

/** The same with `recovery.deliver: caller`: the application gets the token, and mails it. */
export const issueRecoveryRoute = (commands: CommandBus, { keys }: Pick<RouteOptions, 'keys'>): Route =>
  defineRoute({
    ...requesting,
    requires: 'issue-token',
    description:
      'Returns a token with which a forgotten password is replaced, for applications that send their own mails. Send it to the address in the response, and nowhere else: another spelling of it may be another mailbox.',
    parameters: { key: keys.query() },
    responses: {
      200: {
        description:
          'The token, the address of the user, and the time at which the token expires, in milliseconds since the epoch.',
        content: {
          type: 'application/json',
          schema: {
            title: 'RecoveryToken',
            type: 'object',
            required: ['token', 'address', 'expires'],
            properties: {
              token: { type: 'string' },
              address: addressFormat,
              expires: timeSchema,
            },
          },
          example: {
            token: 'Yk5mE2v0b1hC7Zr9p3wQ4sT6uX8aD0fGjKlMnBqRcVt',
            address: 'jane@example.com',
            expires: 1767229200000,
          },
        },
      },
    },
    refusals: ['user_not_found', 'resend_too_soon', 'contended'],
    handle: ({ key }, _, startedMs) => commands.dispatch({ type: 'IssueRecovery', key, languages: [] }, startedMs),
    present: json(({ token, address, expires }: IssuedToken) => JSON.stringify({ token, address, expires })),
  });

const token = memberCodec((value): value is string => isText(value) && value !== '', 'must be a non-empty string');
const confirmation = t.type({ token, password });

const confirmationBody = ({ bodySchema, bodyRule, decodeBody }: UserKeys) => ({
  description: `The address of the user, the token or code of the mail, and the new password.${bodyRule}`,
  schema: bodySchema('NewPassword', {
    token: { type: 'string', minLength: 1 },
    password: { type: 'string', minLength: 1 },
  }),
  examples: {
    confirm: {
      summary: 'A new password',
      value: {
        email: { address: 'jane@example.com' },
        token: 'Yk5mE2v0b1hC7Zr9p3wQ4sT6uX8aD0fGjKlMnBqRcVt',
        password: 'correct horse battery staple',
      },
    },
  },
  namesUser: true,
  decode: (body: JsonObject) => decodeBody(confirmation, body),
});

/** How a new password is refused, also on the page. */
export const recoveryRefusals = [
  'token_mismatch',
  'token_expired',
  'unsuitable_password',
  'weak_password',
  'password_change_required',
  'user_too_large',
  'too_many_attempts',
  'contended',
] as const;

/** The route with which an application sets the new password. */
export const confirmRecoveryRoute = (commands: CommandBus, { keys }: Pick<RouteOptions, 'keys'>): Route =>
  defineRouteWithBody({
    ...common,
    requires: 'recover',
    path: `${publicPaths.recovery}/confirm`,
    operation: 'confirmRecovery',
    summary: 'Replace a forgotten password',
    description:
      'Sets the new password, verifies the address, and ends a block of the user. The token works once. A password that is refused leaves it as it is.',
    parameters: {},
    body: confirmationBody(keys),
    responses: { 204: { description: 'The user has the new password.' } },
    refusals: recoveryRefusals,
    handle: (_, { key, others }, startedMs) =>
      commands.dispatch({ type: 'ConfirmRecovery', key, ...others }, startedMs),
    present: () => emptyReply(204),
  });
