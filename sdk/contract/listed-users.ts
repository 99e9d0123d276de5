import { expect } from 'chai';
import { isTaken, type UserStore } from '../../application/ports/user-store.ts';
import type { User } from '../../domain/user.ts';

/** How many users are inserted at once. */
const concurrentInserts = 50;

export const insertUsers = async (store: UserStore, users: readonly User[]): Promise<void> => {
  for (let start = 0; start < users.length; start += concurrentInserts) {
    const outcomes = await Promise.all(users.slice(start, start + concurrentInserts).map((user) => store.insert(user)));
    expect(outcomes.filter(isTaken)).to.deep.equal([]);
  }
};

/** The addresses of users, sorted. */
export const addresses = (users: readonly User[]): readonly string[] => users.map(({ email }) => email.address).sort();
