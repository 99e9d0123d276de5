import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { MemoryUserStore } from '../../../../adapters/stores/memory/index.ts';
import { administrator } from '../../../../application/administration/administrator.ts';
import { type ListedUsers, ListUsersHandler } from '../../../../application/administration/list-users.ts';
import { Fault } from '../../../../application/fault.ts';
import type { Log } from '../../../../application/ports/log.ts';
import type { UserSearch } from '../../../../application/ports/user-search.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { insertUsers } from '../../../../sdk/contract/listed-users.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';

describe('a list of users that cannot be counted', () => {
  const lines: string[] = [];
  const record = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { info: record, warn: record, error: record };

  const list = async (error: Error): Promise<ListedUsers> => {
    const { users, listing } = new MemoryUserStore().ports;
    await insertUsers(users, [userOf('a@example.com'), userOf('b@example.com')]);
    const search: UserSearch = {
      sorted: () => Promise.reject(error),
      count: () => Promise.reject(error),
    };
    const handler = new ListUsersHandler(listing, search, { now: () => 1 }, undefined, log);
    const listed = await handler.handle({
      type: 'ListUsers',
      by: administrator,
      limit: 1,
      after: undefined,
      address: '',
      verified: undefined,
      state: undefined,
      total: true,
    });
    if (!isRight(listed)) throw new Error(listed.left.code);
    return listed.right;
  };

  it('has its page without the number, and a line in the log', async () => {
    const page = await list(new Fault('store_unavailable', 'the database took too long'));
    expect(page.users).to.have.lengthOf(1);
    expect(page.total).to.equal(null);
    expect(lines).to.deep.equal(['the users of a list were not counted {"reason":"the database took too long"}']);
  });

  it('fails by an error of the program', async () => {
    expect(await rejection(list(new TypeError('a mistake')))).to.be.instanceOf(TypeError);
  });
});
