import { expect } from 'chai';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { keyRange, pageOf } from '../../../../application/ports/user-listing.ts';
import type { User } from '../../../../domain/user.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';

const large = asProperties(JSON.stringify({ filler: 'x'.repeat(300_000) }));

const found = (count: number, changes: Partial<User> = {}) =>
  Array.from({ length: count }, (_, n) => [`${n}@example.com`, userOf(`${n}@example.com`, changes)] as const);

describe('a page of users', () => {
  it('ends at its limit, with the last one on it', () => {
    const page = pageOf(found(4), 3, undefined);
    expect([page.users.length, page.next]).to.deep.equal([3, '2@example.com']);
  });

  it('ends where the look ended when there were no more', () => {
    expect(pageOf(found(3), 3, undefined).next).to.equal(undefined);
    expect(pageOf(found(3), 3, 'far@example.com').next).to.equal('far@example.com');
  });

  it('ends early when the users on it are large', () => {
    const page = pageOf(found(50, { properties: large }), 50, undefined);
    expect([page.users.length, page.next]).to.deep.equal([4, '3@example.com']);
  });

  it('goes on after a key, and begins anew with another text', () => {
    const listing = { limit: 1, address: 'ja', conditions: [] };
    expect(keyRange({ ...listing, after: 'jane@example.com' }).from).to.equal('jane@example.com');
    expect(keyRange({ ...listing, after: 'bob@example.com' }).from).to.equal('ja');
  });
});
