import type { Administration, AdministrationBus } from '../../../../application/bus.ts';
import { timeSchema } from '../../api/accounts/user-bodies.ts';
import { usersTag } from '../../api/accounts/user-schema.ts';
import { addressFormat } from '../../api/parameters.ts';
import { defineRoute } from '../../api/route.ts';
import type { ResponseDescription, Route } from '../../api/route-types.ts';
import { json, userWithTag } from '../../server/response.ts';
import type { AdministeredForm } from './administered-user.ts';
import { addressInPath, after, cursorOf, limit } from './administration-parameters.ts';

type MailPage = Extract<Administration['ListMails']['result'], { readonly _tag: 'Right' }>['right'];

const pageJson = ({ mails, next }: MailPage): string =>
  JSON.stringify({
    mails: mails.map(({ kind, to, since, attempts, due }) => ({ kind, to, since, attempts, nextAttempt: due })),
    next: next === undefined ? null : cursorOf(next),
  });

const pageResponse: ResponseDescription = {
  description: 'A page of mails, without their links; `next` is null after the last one.',
  content: {
    type: 'application/json',
    schema: {
      title: 'MailPage',
      type: 'object',
      required: ['mails', 'next'],
      properties: {
        mails: {
          type: 'array',
          items: {
            title: 'QueuedMail',
            type: 'object',
            required: ['kind', 'to', 'since', 'attempts', 'nextAttempt'],
            properties: {
              kind: { type: 'string' },
              to: addressFormat,
              since: timeSchema,
              attempts: { type: 'integer' },
              nextAttempt: timeSchema,
            },
          },
        },
        next: { type: ['string', 'null'] },
      },
    },
  },
};

/** The API of queued mails; only where mails are queued. */
export const mailRoutes = (bus: AdministrationBus): readonly Route[] => [
  defineRoute({
    method: 'get',
    path: '/admin/mails',
    operation: 'listMails',
    summary: 'List mails that wait to be sent',
    description: 'A page of queued mails that the mail provider has not accepted yet, without their links.',
    tag: { name: 'Mails', description: 'Mails that wait to be sent.' },
    authenticated: true,
    parameters: { limit, after },
    responses: { 200: pageResponse },
    refusals: [],
    callsStore: true,
    handle: (page) => bus.dispatch({ type: 'ListMails', ...page }),
    present: json(200, pageJson),
  }),
];

/** The route that mails a user a link or code for a new password; only where the service sends them. */
export const recoveryRoute = (bus: AdministrationBus, { writeUser, describeUser }: AdministeredForm): Route =>
  defineRoute({
    method: 'post',
    path: '/admin/users/:address/recovery',
    operation: 'startRecovery',
    summary: 'Mail a user a link for a new password',
    description:
      'Does the same as `POST /recovery`. No mail is sent to a disabled user, or within `recovery.resendInterval` after another one.',
    tag: usersTag,
    authenticated: true,
    parameters: { key: addressInPath },
    responses: { 200: describeUser('The user, who gets a mail.') },
    refusals: ['user_not_found'],
    handle: ({ key }) => bus.dispatch({ type: 'StartRecovery', key }),
    present: userWithTag(200, writeUser),
  });
