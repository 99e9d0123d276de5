import { administrator as by } from '../../../../application/administration/administrator.ts';
import type { QueryBus } from '../../../../application/bus.ts';
import type { VersionedUser } from '../../../../domain/entity-tag.ts';
import { exportedUser } from '../../../kit/user-json/user-writer.ts';
import { userHeaders, usersTag } from '../../api/accounts/user-schema.ts';
import { defineRoute } from '../../api/route.ts';
import type { Route, Schema } from '../../api/route-types.ts';
import { json, type Reply, userWithTag } from '../../server/response.ts';
import { type AdministeredOptions, exportSchema } from './administered-user.ts';
import { type Found, objectResponse } from './administration-parameters.ts';
import { userPath } from './user-action.ts';

const countOf = ({ failures, blockedForMs }: Found<'GetAttempts'>['passwords']) => ({
  failures,
  blockedForSeconds: Math.ceil(blockedForMs / 1000),
});

const attemptsJson =
  (showsActivity: boolean) =>
  ({ passwords, tokens, codes, user }: Found<'GetAttempts'>): string =>
    JSON.stringify({
      ...countOf(passwords),
      ...(showsActivity && { lastCheckTime: user.lastCheckTime ?? null }),
      ...(tokens !== null && { recovery: countOf(tokens) }),
      ...(codes !== null && { verification: countOf(codes) }),
    });

const countMembers = { failures: { type: 'integer' }, blockedForSeconds: { type: 'integer' } };
const countNames = Object.keys(countMembers);

const lastCheckTime: Schema = {
  type: ['integer', 'null'],
  description: 'When the password was last right, in milliseconds since the epoch; null if it never was.',
};

const attemptCount = (showsActivity: boolean) =>
  objectResponse(
    'The count, and the remaining seconds of a block; 0 without one.',
    'AttemptCount',
    {
      ...countMembers,
      ...(showsActivity && { lastCheckTime }),
      recovery: {
        title: 'RecoveryAttempts',
        type: 'object',
        description: 'The wrong tokens and codes; only with the block `recovery`.',
        required: countNames,
        properties: countMembers,
      },
      verification: {
        title: 'VerificationAttempts',
        type: 'object',
        description: 'The wrong codes for the address; only with `email.form: code`.',
        required: countNames,
        properties: countMembers,
      },
    },
    countNames,
  );

/** The name of the file in which a browser saves an export: characters with a meaning to a header or a disk are replaced. */
const fileNameOf = ({ user }: VersionedUser): string =>
  `${user.email.address.replace(/[^\w@.+-]/g, '_').replace(/^\.+/, '')}.jsonl`;

const exportReply = (stored: VersionedUser): Reply =>
  userWithTag(200, (user) => `${exportedUser(user)}\n`, {
    'Content-Disposition': `attachment; filename="${fileNameOf(stored)}"`,
  })(stored);

/** What administrators read about one user. */
export const readingRoutes = (
  queries: QueryBus,
  { writeUser, describeUser, userInPath, ids, activity }: AdministeredOptions,
): readonly Route[] => [
  defineRoute({
    method: 'get',
    path: userPath,
    operation: 'inspectUser',
    summary: 'Read a user without its password',
    description:
      'Returns a user, without the stored form of its password and without the token of its verification mail.',
    tag: usersTag,
    requires: 'read',
    parameters: { key: userInPath },
    responses: { 200: describeUser('The user.') },
    refusals: ['user_not_found'],
    handle: ({ key }) => queries.dispatch({ type: 'InspectUser', by, key }),
    present: userWithTag(200, writeUser),
  }),
  defineRoute({
    method: 'get',
    path: `${userPath}/export`,
    operation: 'exportUser',
    summary: 'Export a user',
    description:
      'Everything that is stored about a user, as a line of `latchkey export` but without password, tokens and digests.',
    tag: usersTag,
    requires: 'read',
    parameters: { key: userInPath },
    responses: {
      200: {
        description: 'The user, as a file of one line.',
        headers: { ...userHeaders, 'Content-Disposition': 'The name of the file.' },
        content: { type: 'application/json', schema: exportSchema({ ids }) },
      },
    },
    refusals: ['user_not_found'],
    handle: ({ key }) => queries.dispatch({ type: 'InspectUser', by, key }),
    present: exportReply,
  }),
  defineRoute({
    method: 'get',
    path: `${userPath}/attempts`,
    operation: 'inspectAttempts',
    summary: 'Read the wrong passwords of a user',
    description:
      'How many wrong passwords are counted for a user, and how long they block it; with recoveries and with `email.form: code`, the same about wrong tokens and codes.',
    tag: usersTag,
    requires: 'read',
    parameters: { key: userInPath },
    responses: { 200: attemptCount(activity !== null) },
    refusals: ['user_not_found'],
    handle: ({ key }) => queries.dispatch({ type: 'GetAttempts', by, key }),
    present: json(attemptsJson(activity !== null)),
  }),
];
