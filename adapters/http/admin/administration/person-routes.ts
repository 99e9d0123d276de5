import { administrator as by } from '../../../../application/administration/administrator.ts';
import type { CommandBus, Commands, QueryBus } from '../../../../application/bus.ts';
import { timeSchema } from '../../api/accounts/user-bodies.ts';
import { addressFormat, ifMatch } from '../../api/parameters.ts';
import { defineRoute } from '../../api/route.ts';
import type { Route, Schema, Tag } from '../../api/route-types.ts';
import { json } from '../../server/response.ts';
import { type AdministeredOptions, exportSchema } from './administered-user.ts';
import { objectResponse } from './administration-parameters.ts';
import { personJson } from './person-json.ts';
import type { UserAction } from './user-action.ts';

type ErasedPerson = Extract<Commands['ErasePerson']['result'], { readonly _tag: 'Right' }>['right'];

const path = '/admin/people/:address';
const tag: Tag = { name: 'People', description: 'Everything that is stored about a person.' };

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer' };

const listOf = (
  title: string,
  properties: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema => ({
  type: 'array',
  items: { title, type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } },
});

const elsewhere: Schema = {
  type: 'array',
  items: text,
  description: 'Sentences about what is outside the database.',
};

const personResponse = (options: AdministeredOptions) =>
  objectResponse('Everything about the person, without hashes, tokens and digests.', 'Person', {
    user: { anyOf: [exportSchema(options), { type: 'null' }] },
    names: listOf('PersonName', { property: text, value: text }),
    events: listOf('WaitingEvent', {
      event: { type: ['object', 'null'] },
      attempts: count,
      nextAttempt: timeSchema,
    }),
    mails: listOf('WaitingMail', {
      kind: text,
      to: addressFormat,
      since: timeSchema,
      attempts: count,
      nextAttempt: timeSchema,
    }),
    requests: listOf(
      'WaitingRequest',
      { kind: text, since: timeSchema },
      { address: addressFormat, properties: { title: 'RequestedProperties', type: 'object' } },
    ),
    attempts: listOf('CountedAttempts', { kind: text, failures: count, blockedForSeconds: count }),
    elsewhere,
  });

const removed = { user: { type: 'boolean' }, events: count, mails: count, requests: count, attempts: count };

const erasedResponse = objectResponse('What was removed. A repeated request removes nothing.', 'Erasure', {
  erased: { title: 'ErasedRecords', type: 'object', required: Object.keys(removed), properties: removed },
  announcements: { ...count, description: 'The events `user.deleted` that wait: they stay until they are delivered.' },
  elsewhere,
});

/** Gathers everything about a person, who need not be a user any more. */
export const personInspection = (queries: QueryBus, options: AdministeredOptions): Route =>
  defineRoute({
    path,
    tag,
    parameters: { key: options.userInPath },
    method: 'get',
    operation: 'inspectPerson',
    requires: 'read',
    summary: 'Gather everything about a person',
    description:
      'The user, if there is one, the entries by which it is found, and the events, mails, requests and counts of wrong passwords under its names.',
    responses: { 200: personResponse(options) },
    refusals: [],
    callsStore: true,
    handle: ({ key }) => queries.dispatch({ type: 'GatherPerson', by, key }),
    present: json(personJson),
  });

/** Removes everything about a person. */
export const personErasure = (commands: CommandBus, { userInPath }: AdministeredOptions): UserAction => ({
  route: defineRoute({
    path,
    tag,
    parameters: { key: userInPath, ifMatch },
    method: 'delete',
    operation: 'erasePerson',
    requires: 'delete',
    summary: 'Erase a person',
    description:
      'Removes all that, also what an earlier deletion of the user has left. Sends the event `user.deleted` once, with the user.',
    responses: { 200: erasedResponse },
    refusals: ['stale_user', 'contended'],
    callsStore: true,
    handle: (target, _, startedMs) => commands.dispatch({ type: 'ErasePerson', by, ...target }, startedMs),
    present: json(({ about: _, elsewhere, announcements, ...erased }: ErasedPerson) =>
      JSON.stringify({ erased, announcements, elsewhere }),
    ),
  }),
  page: {
    label: 'Erase person',
    title: 'Erase everything about this person?',
    sentence:
      'The account, waiting mails and events, and counts of wrong passwords are removed for good. Backups, logs and other systems are not changed.',
    isDangerous: true,
    done: 'The person was erased.',
  },
  submit: (key, entityTag, _field, startedMs) =>
    commands.dispatch({ type: 'ErasePerson', by, key, ifMatch: [entityTag] }, startedMs),
});
