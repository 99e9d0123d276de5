import { expect } from 'chai';
import type { StoredUser, UserStore } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import { addressOf, userOf } from './arbitraries.ts';
import { written } from './outcomes.ts';
import { spellings } from './spellings.ts';

/** The longest local part and domain with an end: an address of 254 octets. */
const longest = (end: string): string => `${'l'.repeat(64)}@${`${'d'.repeat(58)}.`.repeat(3)}${end}`.slice(0, 254);

/** Addresses of two users that a collation, a pattern or an index of a part takes for one. */
const twoUsers: Readonly<Record<string, readonly [one: string, other: string]>> = {
  'an accent': ['jane-1@example.com', 'jané-1@example.com'],
  'a wildcard of LIKE for one character': ['jane_2@example.com', 'janex2@example.com'],
  'a wildcard of LIKE for several characters': ['jane%3@example.com', 'jane-doe3@example.com'],
  'a dot': ['jane.doe4@example.com', 'janexdoe4@example.com'],
  'the operator of a pattern': ['jane*5@example.com', 'janeee5@example.com'],
  'a plus sign': ['jane+6@example.com', 'jane6@example.com'],
  'the end of the longest address': [longest('example.com'), longest('example.net')],
};

/** Which addresses find the same user: those whose keys are equal, and no others. */
export const distinctAddresses = (storeOfTest: () => UserStore): void => {
  const find = (address: string): Promise<StoredUser | undefined> => storeOfTest().find(keyOf(addressOf(address)));

  const inserted = async (address: string): Promise<StoredUser> => {
    return written(await storeOfTest().insert(userOf(address)));
  };

  const expectTwoUsers = async (one: string, other: string): Promise<void> => {
    const first = await inserted(one);
    expect(await find(other)).to.equal(undefined);
    const second = await inserted(other);
    expect(await find(one)).to.deep.equal(first);
    expect(await find(other)).to.deep.equal(second);
    expect(await storeOfTest().remove(first)).to.equal('removed');
    expect(await find(one)).to.equal(undefined);
    expect(await storeOfTest().remove(second)).to.equal('removed');
  };

  const expectOneUser = async (one: string, other: string): Promise<void> => {
    const stored = await inserted(one);
    expect(await find(other)).to.deep.equal(stored);
    expect(await storeOfTest().insert(userOf(other))).to.deep.equal({ taken: keyOf(addressOf(one)) });
    expect(await storeOfTest().remove(stored)).to.equal('removed');
  };

  describe('compares addresses by their keys:', () => {
    const pairs = [
      ...Object.entries(twoUsers).map(([why, [one, other]]) => ({ why, one, other, isSameUser: false })),
      ...spellings,
    ];
    for (const { why, one, other, isSameUser } of pairs)
      it(`${why}, ${isSameUser ? 'one user' : 'two users'}`, async () => {
        const expectUsers = isSameUser ? expectOneUser : expectTwoUsers;
        await expectUsers(one, other);
        await expectUsers(other, one);
      });
  });
};
