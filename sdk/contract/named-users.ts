import { expect } from 'chai';
import type { StoredUser, StorePorts } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import { type User, UserId } from '../../domain/user.ts';
import { nameOfId, nameOfProperty, type UserName } from '../../domain/user-name.ts';
import { addressOf, userOf } from './arbitraries.ts';
import { written } from './outcomes.ts';

/** The name of a value of a unique property. */
export const nameOf = (value: string, property = 'username'): UserName => {
  const name = nameOfProperty({ name: property, fold: String }, value);
  if (name === undefined) throw new TypeError('a text has a name');
  return name;
};

/** The name of an id. */
export const idOf = (text: string): UserName => {
  if (!UserId.is(text)) throw new TypeError(`not an id: ${text}`);
  return nameOfId(text);
};

export const renamed = (user: User, address: string): User => ({
  ...user,
  email: { ...user.email, address: addressOf(address) },
});

/** A user as stored; the order of its names does not count. */
export const inOrder = (stored: StoredUser | undefined): StoredUser | undefined =>
  stored?.names === undefined ? stored : { ...stored, names: [...stored.names].sort() };

/** Delays after which a second call begins, several times, because a busy machine runs the two at other distances. */
export const delaysMs: readonly number[] = [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5];

/** Begins a call later. */
export const later = async <Result>(delayMs: number, call: () => Promise<Result>): Promise<Result> => {
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  return call();
};

/** A store with names, and what the tests of names do with it. */
export class NamedUsers {
  private count = 0;

  constructor(
    private readonly open: () => StorePorts | undefined,
    private readonly prefix: string,
  ) {}

  get ports(): Required<Pick<StorePorts, 'users' | 'names'>> {
    const { users, names } = this.open() ?? {};
    if (users === undefined || names === undefined) throw new Error('the store cannot find users by names');
    return { users, names };
  }

  get users() {
    return this.ports.users;
  }

  /** A user whom no other test has. */
  fresh(): User {
    return userOf(`${this.prefix}-${++this.count}@example.com`);
  }

  /** A name that no other test uses. */
  freshName(): UserName {
    return nameOf(`${this.prefix} ${++this.count}`);
  }

  find({ email }: User): Promise<StoredUser | undefined> {
    return this.users.find(keyOf(email.address));
  }

  async inserted(...names: readonly UserName[]): Promise<StoredUser> {
    return written(await this.users.insert(this.fresh(), { names }));
  }

  async replaced(previous: StoredUser, next: User, names: readonly UserName[]): Promise<StoredUser> {
    return written(await this.users.replace(previous, next, { names }));
  }

  /** Expects that a user is stored so, with these names, and is found by each of them. */
  async expectNames(stored: StoredUser, ...names: readonly UserName[]): Promise<void> {
    const { user, version } = stored;
    const expected = names.length === 0 ? { user, version } : { user, version, names: [...names].sort() };
    expect(inOrder(stored)).to.deep.equal(expected);
    expect(inOrder(await this.find(user))).to.deep.equal(expected);
    for (const name of names) expect(inOrder(await this.ports.names.find(name)), name).to.deep.equal(expected);
  }

  /** Expects that names find no user, and that a new user can have all of them, who is removed again. */
  async expectFree(...names: readonly UserName[]): Promise<void> {
    for (const name of names) expect(await this.ports.names.find(name), name).to.equal(undefined);
    const stored = await this.inserted(...names);
    expect(await this.users.remove(stored)).to.equal('removed');
  }
}
