import { administrator as by } from '../../../../application/administration/administrator.ts';
import type { QueryBus } from '../../../../application/bus.ts';
import { timeSchema } from '../../api/accounts/user-bodies.ts';
import { addressFormat } from '../../api/parameters.ts';
import { defineRoute } from '../../api/route.ts';
import type { Route, Schema } from '../../api/route-types.ts';
import { json } from '../../server/response.ts';
import { type Found, limit } from './administration-parameters.ts';
import { after, cursorOf } from './list-cursors.ts';
import { next, objectResponse } from './reading-routes.ts';

const mailPageJson = ({ mails, next }: Found<'ListMails'>): string =>
  JSON.stringify({
    mails: mails.map(({ kind, to, since, attempts, due }) => ({ kind, to, since, attempts, nextAttempt: due })),
    next: next === undefined ? null : cursorOf(next),
  });

const queuedMail: Schema = {
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
};

/** What administrators read about mails that wait to be sent; only where mails are queued. */
export const mailRoute = (queries: QueryBus): Route =>
  defineRoute({
    method: 'get',
    path: '/admin/mails',
    operation: 'listMails',
    summary: 'List mails that wait to be sent',
    description: 'A page of queued mails that the mail provider has not accepted yet, without their links.',
    tag: { name: 'Mails', description: 'Mails that wait to be sent.' },
    authenticated: true,
    parameters: { limit, after },
    responses: {
      200: objectResponse('A page of mails, without their links; `next` is null after the last one.', 'MailPage', {
        mails: { type: 'array', items: queuedMail },
        next,
      }),
    },
    refusals: [],
    callsStore: true,
    handle: (page) => queries.dispatch({ type: 'ListMails', by, ...page }),
    present: json(200, mailPageJson),
  });
