import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { administrator } from '../../../../application/administration/administrator.ts';
import { ListUsersHandler } from '../../../../application/administration/list-users.ts';
import { Fault } from '../../../../application/fault.ts';
import type { AttemptCounter, AttemptStatus } from '../../../../application/ports/attempt-counter.ts';
import type { Log } from '../../../../application/ports/log.ts';
import { pageOf, UserListing, type UserPage } from '../../../../application/ports/user-listing.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { uniqueProperty } from '../../../../domain/property-folding.ts';
import { type User, UserId } from '../../../../domain/user.ts';
import { type UserKey, wantedKeys } from '../../../../domain/user-name.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';

const damage = new Fault('store_rejected', 'a stored user has no readable properties', { record: 'b@example.com' });
const names = ['a@example.com', 'b@example.com', 'c@example.com'];
const found = names.map((name) => [name, name.startsWith('b') ? damage : userOf(name)] as const);

class Listing extends UserListing {
  constructor(private readonly records: readonly (readonly [string, User | Fault])[] = found) {
    super();
  }

  async list({ limit, after = '' }: { limit: number; after: string | undefined }): Promise<UserPage> {
    const rest = this.records.filter(([name]) => name > after);
    return pageOf(rest, limit, undefined);
  }
}

const counter = (read: AttemptCounter['status']): AttemptCounter => ({
  status: read,
  recordFailure: async () => {},
  reset: async () => {},
  check: async () => '',
  close: async () => {},
});

const username = uniqueProperty('username', 'string', 'username');

describe('a list of users with a damaged record', () => {
  let lines: string[];
  const record = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { info: record, warn: record, error: record };
  beforeEach(() => {
    lines = [];
  });

  const list = async (
    limit: number,
    after?: string,
    attempts?: AttemptCounter,
    listing: UserListing = new Listing(),
  ): Promise<UserPage> => {
    const handler = new ListUsersHandler(listing, undefined, { now: () => 1 }, attempts, log, undefined, [username]);
    const state = attempts === undefined ? undefined : 'blocked';
    const listed = await handler.handle({
      type: 'ListUsers',
      by: administrator,
      limit,
      after,
      address: '',
      verified: undefined,
      state,
    });
    if (!isRight(listed)) throw new Error(listed.left.code);
    return listed.right;
  };
  const addresses = ({ users }: UserPage): readonly string[] => users.map(({ email }) => email.address);
  const records = ({ unreadable = [] }: UserPage): readonly unknown[] => unreadable.map((fault) => fault.record);

  it('has the others, and names the record, also in the log and without a value', async () => {
    const page = await list(10);
    expect(addresses(page)).to.deep.equal(['a@example.com', 'c@example.com']);
    expect(records(page)).to.deep.equal(['b@example.com']);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain('b@example.com').and.to.contain('properties');
  });

  it('has the others with a value, and names the damaged user who has it, on the first page', async () => {
    const holderOf = () => Promise.reject(damage);
    const others = ['a@example.com', 'c@example.com'].map((name) => {
      return [name, { ...userOf(name), properties: asProperties('{"username":"jane"}') }] as const;
    });
    const handler = new ListUsersHandler(new Listing(others), undefined, { now: () => 1 }, undefined, log, holderOf, [
      username,
    ]);
    const page = async (after?: string) => {
      const property = { name: 'username', value: 'jane' };
      const listed = await handler.handle({ type: 'ListUsers', by: administrator, limit: 1, after, property });
      if (!isRight(listed)) throw new Error(listed.left.code);
      return [addresses(listed.right), records(listed.right)];
    };
    expect(await page()).to.deep.equal([['a@example.com'], ['b@example.com']]);
    expect(lines).to.have.length(1);
    expect(await page('a@example.com')).to.deep.equal([['c@example.com'], []]);
  });

  it('ends although a page has nothing else', async () => {
    const pages = [];
    let after: string | undefined;
    do {
      const page = await list(1, after);
      pages.push([...addresses(page), ...records(page)]);
      after = page.next;
    } while (after !== undefined && pages.length < 10);
    expect(pages).to.deep.equal([['a@example.com'], ['b@example.com'], ['c@example.com']]);
  });

  it('has users who are blocked under a name, which a request had in place of the address', async () => {
    const id = 'u1';
    if (!UserId.is(id)) throw new TypeError(id);
    const user = { ...userOf('a@example.com'), id, properties: asProperties('{"username":"Ada"}') };
    const blockedUnder = async (blocked: UserKey | undefined): Promise<readonly string[]> => {
      const attempts = counter(async ({ user }) => ({ blockedForMs: user === blocked ? 1 : 0, failures: 1 }));
      return addresses(await list(10, undefined, attempts, new Listing([['a@example.com', user]])));
    };
    for (const key of wantedKeys(user, [username])) expect(await blockedUnder(key), key).to.eql(['a@example.com']);
    expect(wantedKeys(user, [username])).to.have.length(3);
    expect(await blockedUnder(keyOf(userOf('c@example.com').email.address))).to.eql([]);
  });

  it('has every blocked user although a count is damaged', async () => {
    const status = async ({ user }: { user: string }): Promise<AttemptStatus> => {
      if (user === keyOf(userOf('a@example.com').email.address))
        throw new Fault('store_rejected', 'a count is damaged', { record: user });
      return { blockedForMs: 1, failures: 1 };
    };
    const page = await list(10, undefined, counter(status));
    expect(addresses(page)).to.deep.equal(['c@example.com']);
    expect(records(page)).to.have.members(['a@example.com', 'b@example.com']);
    const outage = async (): Promise<AttemptStatus> => {
      throw new Fault('store_unavailable', 'the counts cannot be read');
    };
    expect(await rejection(list(10, undefined, counter(outage)))).to.include({ code: 'store_unavailable' });
  });
});
