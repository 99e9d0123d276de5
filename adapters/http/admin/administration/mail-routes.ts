import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import { administrator as by } from '../../../../application/administration/administrator.ts';
import type { Commands } from '../../../../application/bus.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { idSchema, timeSchema } from '../../api/accounts/user-bodies.ts';
import { addressFormat } from '../../api/parameters.ts';
import { defineRoute } from '../../api/route.ts';
import type { Parameter, Route, Schema, Tag } from '../../api/route-types.ts';
import { json } from '../../server/response.ts';
import { type Found, limit, next, objectResponse, wholeRequest } from './administration-parameters.ts';
import { after, cursorOf } from './list-cursors.ts';
import type { Buses } from './user-action.ts';

type ChangeMailResult = Commands['RetryMail' | 'DiscardMail']['result'];
export type WaitingMail = Found<'ListMails'>['mails'][number];

/** With the id of the user, where it is known. */
const mailOf = ({ id, kind, to, userId, since, attempts, due }: WaitingMail) => ({
  id,
  kind,
  to,
  userId,
  since,
  attempts,
  nextAttempt: due,
});

const mailJson = (mail: WaitingMail): string => JSON.stringify(mailOf(mail));

const mailPageJson = ({ mails, next }: Found<'ListMails'>): string =>
  JSON.stringify({ mails: mails.map(mailOf), next: next === undefined ? null : cursorOf(next) });

const members = {
  id: { type: 'string' },
  kind: { type: 'string' },
  to: addressFormat,
  since: timeSchema,
  attempts: { type: 'integer' },
  nextAttempt: timeSchema,
};

const queuedMailWith = (ids: boolean): Schema => ({
  title: 'QueuedMail',
  type: 'object',
  required: Object.keys(members),
  properties: { ...members, ...(ids && { userId: idSchema }) },
});

const idPattern = /^[\w.-]{1,64}$/;

const id: Parameter<string> = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The `id` of a mail in the list.',
  schema: { type: 'string', pattern: idPattern.source },
  example: '1767225600000-5d3f6a52-7f5a-4d0e-9a0b-7f6b8f1f0c11',
  read: ({ path }) => {
    const text = path.split('/')[3] ?? '';
    return idPattern.test(text) ? right(text) : left('must be the id of a mail');
  },
};

const tag: Tag = { name: 'Mails', description: 'Mails that wait to be sent.' };

const mailIn = (outcome: ChangeMailResult): WaitingMail | undefined => {
  if (!isLeft(outcome)) return outcome.right;
  return 'mail' in outcome.left ? outcome.left.mail : undefined;
};

/**
 * Names the recipient of a mail as the user in the audit, because the request has only an id; also where the mail was not
 * changed. Returns the outcome.
 */
export const withAuditedRecipient = ({ ctx }: KoaRequest, outcome: ChangeMailResult): ChangeMailResult => {
  const mail = mailIn(outcome);
  if (mail !== undefined) {
    ctx.state.user = keyOf(mail.to);
    ctx.state.about = { key: keyOf(mail.to), id: mail.userId };
  }
  return outcome;
};

/** What administrators read about mails that wait to be sent, and do with them; only where mails are queued. */
export const mailRoutes = ({ commands, queries }: Buses, ids: boolean): readonly Route[] => {
  const queuedMail = queuedMailWith(ids);
  const change = {
    tag,
    requires: 'mail',
    parameters: { id, request: wholeRequest },
    refusals: ['mail_not_found', 'mail_in_delivery'],
    present: json(mailJson),
  } as const;
  const mailResponse = (description: string) => ({
    200: { description, content: { type: 'application/json', schema: queuedMail } },
  });
  return [
    defineRoute({
      method: 'get',
      path: '/admin/mails',
      operation: 'listMails',
      summary: 'List mails that wait to be sent',
      description: 'A page of queued mails that the mail provider has not accepted yet, without their links.',
      tag,
      requires: 'mail',
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
      present: json(mailPageJson),
    }),
    defineRoute({
      ...change,
      method: 'post',
      path: '/admin/mails/:id/retry',
      operation: 'retryMail',
      summary: 'Send a mail without waiting for its next attempt',
      description:
        'Makes a mail due now. Refused while the mail may be on its way to the mail provider, so that it is not sent twice.',
      responses: mailResponse('The mail.'),
      handle: async ({ id, request }, _, startedMs) =>
        withAuditedRecipient(request, await commands.dispatch({ type: 'RetryMail', by, id }, startedMs)),
    }),
    defineRoute({
      ...change,
      method: 'delete',
      path: '/admin/mails/:id',
      operation: 'discardMail',
      summary: 'Discard a mail',
      description:
        'Removes a mail that waits, and sends the event `mail.failed`. Refused while the mail may be on its way to the mail provider.',
      responses: mailResponse('The mail that was discarded.'),
      handle: async ({ id, request }, _, startedMs) =>
        withAuditedRecipient(request, await commands.dispatch({ type: 'DiscardMail', by, id }, startedMs)),
    }),
  ];
};
