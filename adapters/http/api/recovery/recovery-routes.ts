import * as t from 'io-ts';
import type { CommandBus, Commands } from '../../../../application/bus.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { emailCodec, isText, memberCodec, password } from '../../../kit/user-json/user-codecs.ts';
import { publicPaths } from '../../paths.ts';
import { json, type Reply } from '../../server/response.ts';
import { emailReference, noOtherMembers, timeSchema } from '../accounts/user-bodies.ts';
import { addressFormat, email } from '../parameters.ts';
import { detailsAboutTokens } from '../problems.ts';
import { decodeOnly } from '../request-body.ts';
import { defineRoute, defineRouteWithBody } from '../route.ts';
import type { RouteOptions } from '../route-options.ts';
import type { Body, Route, Tag } from '../route-types.ts';

type IssuedToken = Extract<Commands['IssueRecovery']['result'], { readonly _tag: 'Right' }>['right'];

/** The operations about forgotten passwords. */
export const recoveryTag: Tag = { name: 'Recovery', description: 'Replacement of forgotten passwords.' };

const common = { tag: recoveryTag, authenticated: true, details: detailsAboutTokens } as const;

const empty = (status: number): Reply => ({ status, headers: { 'Cache-Control': 'no-store' }, body: '' });

/** The route with which an application asks for a mail. It answers every address alike. */
export const requestRecoveryRoute = (
  commands: CommandBus,
  { mailLanguages }: Pick<RouteOptions, 'mailLanguages'>,
): Route =>
  defineRoute({
    ...common,
    method: 'post',
    path: publicPaths.recovery,
    operation: 'requestRecovery',
    summary: 'Request a new password',
    description:
      'Mails the user a link, or a code, with which a forgotten password is replaced. The response and its time are the same for every address, known or not. No mail is sent to a disabled user, or within `recovery.resendInterval` after another one.',
    parameters: { key: email, ...mailLanguages },
    responses: { 202: { description: 'The request is stored. A user with this address gets a mail.' } },
    refusals: [],
    callsStore: true,
    mayOverload: true,
    details: { overloaded: 'Too many requests for a new password are waiting. Try again later.' },
    handle: ({ key, languages = [] }) => commands.dispatch({ type: 'RequestRecovery', key, languages }),
    present: () => empty(202),
  });

/** The same with `recovery.deliver: caller`: the application gets the token, and mails it. */
export const issueRecoveryRoute = (commands: CommandBus): Route =>
  defineRoute({
    ...common,
    method: 'post',
    path: publicPaths.recovery,
    operation: 'requestRecovery',
    summary: 'Request a new password',
    description:
      'Returns a token with which a forgotten password is replaced, for applications that send their own mails. Send it to the address in the response, and nowhere else: another spelling of it may be another mailbox.',
    parameters: { key: email },
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
    present: json(200, ({ token, address, expires }: IssuedToken) => JSON.stringify({ token, address, expires })),
  });

const token = memberCodec((value): value is string => isText(value) && value !== '', 'must be a non-empty string');
const confirmation = t.type({ email: emailCodec({}), token, password });

const confirmationBody: Body<t.TypeOf<typeof confirmation>> = {
  description: 'The address of the user, the token or code of the mail, and the new password.',
  schema: {
    title: 'NewPassword',
    type: 'object',
    required: ['email', 'token', 'password'],
    properties: {
      email: emailReference,
      token: { type: 'string', minLength: 1 },
      password: { type: 'string', minLength: 1 },
    },
    ...noOtherMembers,
  },
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
  decode: (body) => decodeOnly(confirmation, body),
};

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
export const confirmRecoveryRoute = (commands: CommandBus): Route =>
  defineRouteWithBody({
    ...common,
    method: 'post',
    path: `${publicPaths.recovery}/confirm`,
    operation: 'confirmRecovery',
    summary: 'Replace a forgotten password',
    description:
      'Sets the new password, verifies the address, and ends a block of the user. The token works once. A password that is refused leaves it as it is.',
    parameters: {},
    body: confirmationBody,
    responses: { 204: { description: 'The user has the new password.' } },
    refusals: recoveryRefusals,
    handle: (_, { email, token, password }, startedMs) =>
      commands.dispatch({ type: 'ConfirmRecovery', key: keyOf(email.address), token, password }, startedMs),
    present: () => empty(204),
  });
