import type { Administration, AdministrationBus } from '../../../../application/bus.ts';
import { addressFormat } from '../../api/parameters.ts';
import { defineRoute } from '../../api/route.ts';
import type { ResponseDescription, Route } from '../../api/route-types.ts';
import { timeSchema } from '../../api/user-bodies.ts';
import { json } from '../../server/response.ts';
import { after, cursorOf, limit } from './administration-parameters.ts';

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
    tag: 'Mails',
    authenticated: true,
    parameters: { limit, after },
    responses: { 200: pageResponse },
    refusals: [],
    callsStore: true,
    handle: (page) => bus.dispatch({ type: 'ListMails', ...page }),
    present: json(200, pageJson),
  }),
];
