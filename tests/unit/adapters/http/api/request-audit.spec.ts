import { expect } from 'chai';
import { left, right } from 'fp-ts/lib/Either.js';
import type { Context } from 'koa';
import { type AuditEntry, auditTo } from '../../../../../adapters/http/api/request-audit.ts';
import type { Parameter, Route } from '../../../../../adapters/http/api/route-types.ts';
import { about } from '../../../../../application/writing/authorization.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { failure } from '../../../../../domain/failure.ts';
import { UserId } from '../../../../../domain/user.ts';
import { nameOfId, nameOfProperty, type UserKey } from '../../../../../domain/user-name.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rightOf } from '../../../../../sdk/contract/outcomes.ts';
import { ManualClock } from '../../../../support/doubles/manual-clock.ts';

const id = rightOf(UserId.decode('usr_1'));
const byId = nameOfId(id);
const byUsername = nameOfProperty({ name: 'username', fold: String }, 'jane') ?? byId;
const byAddress = keyOf(addressOf('jane@example.com'));
const storedAs = (user: ReturnType<typeof userOf>) => ({ user, version: '1' });
const withId = storedAs({ ...userOf('Jane@example.com'), id });
const withoutId = storedAs(userOf('Jane@example.com'));

/** Who is in the line of a request that names a user by `key`. */
const lineOf = (key: UserKey, outcome: Context['state']['outcome']) => {
  const named: Parameter<UserKey> = {
    name: 'user',
    in: 'query',
    required: true,
    description: '',
    schema: {},
    example: '',
    namesUser: true,
    read: () => right(key),
  };
  const route = { operation: 'getUser', parameters: [named], body: undefined } as unknown as Route;
  const ctx = {
    state: { route, outcome },
    status: 200,
    ip: '192.0.2.1',
    req: { headers: {} },
    request: { querystring: '' },
  } as unknown as Context;
  let line: AuditEntry | undefined;
  auditTo((entry) => {
    line = entry;
  }, new ManualClock(1_893_456_000_000))(ctx, '/users', 1);
  const { time, user, ...others } = line ?? expect.fail('no line');
  expect(time).to.equal('2030-01-01T00:00:00.000Z');
  return { user, ...('userId' in others && { userId: others.userId }) };
};

describe('the audit of a request', () => {
  it('has the address and the id of the user that was found, by whichever key it was named', () => {
    for (const key of [byAddress, byId, byUsername]) {
      const refused = about(key, withId, left(failure('wrong_password')));
      for (const outcome of [right(withId), right({ user: withId.user, codes: null }), refused])
        expect(lineOf(key, outcome)).to.deep.equal({ user: 'jane@example.com', userId: 'usr_1' });
    }
  });

  it('has no id of a user without one', () => {
    for (const key of [byAddress, byUsername]) {
      const refused = about(key, withoutId, left(failure('wrong_password')));
      for (const outcome of [right(withoutId), refused])
        expect(lineOf(key, outcome)).to.deep.equal({ user: 'jane@example.com' });
    }
  });

  it('has what the request says of a user that was not found', () => {
    const unknown = left(failure('user_not_found'));
    expect(lineOf(byAddress, unknown)).to.deep.equal({ user: 'jane@example.com' });
    expect(lineOf(byId, unknown)).to.deep.equal({ user: null, userId: 'usr_1' });
    expect(lineOf(byUsername, unknown)).to.deep.equal({ user: null });
  });
});
