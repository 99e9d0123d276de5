import { expect } from 'chai';

/** The names in a whole database, as `tests/support/names` reads them. */
export interface StoredNames {
  /** The names of each user, by the key of its address. */
  readonly users: ReadonlyMap<string, readonly string[]>;
  /** The key of the address of each name; undefined for a reservation. */
  readonly entries: ReadonlyMap<string, string | undefined>;
}

/** Expects that no user is without its entries, and no entry without its user. Resolves with the number of names. */
export const expectWholeNames = ({ users, entries }: StoredNames): number => {
  const held = [...users].flatMap(([key, names]) => names.map((name) => [name, key] as const));
  for (const [name, key] of held) expect(entries.get(name), `the entry of ${name}`).to.equal(key);
  const taken = [...entries].filter(([, key]) => key !== undefined);
  for (const [name, key] of taken) expect(users.get(key ?? '') ?? [], `the user of ${name}`).to.include(name);
  expect(new Set(held.map(([name]) => name)).size, 'names of two users').to.equal(held.length);
  return held.length;
};
