import { createHash } from 'node:crypto';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { isTaken, type StoredUser, type Taken, type UserStore } from '../../../../application/ports/user-store.ts';
import { EmailAddress, type EmailKey, keyOf } from '../../../../domain/email-address.ts';
import type { Email, User } from '../../../../domain/user.ts';
import { isWritten } from '../../../../sdk/contract/outcomes.ts';
import { literally, oneByOne, roundTrip } from './altered-port.ts';

/** A mistake in a store, as what it does to the methods of a right one, and the title of the test that finds it. */
export type UserMistake = readonly [foundBy: string, mistake: (users: UserStore) => Partial<UserStore>];

const keyOfUser = ({ email }: User) => keyOf(email.address);
const isMove = (previous: StoredUser, next: User): boolean => keyOfUser(previous.user) !== keyOfUser(next);

/** Replaces whatever is stored for a user. */
const overwrite = async (users: UserStore, key: User, next: User) => {
  for (;;) {
    const current = await users.find(keyOfUser(key));
    if (current === undefined) return 'stale';
    const replaced = await users.replace(current, next);
    if (replaced !== 'stale') return replaced;
  }
};

const taken = (user: User): Taken => ({ taken: keyOfUser(user) });

const insertOver = async (users: UserStore, user: User): Promise<StoredUser | Taken> => {
  const stored = await users.insert(user);
  if (isWritten(stored)) return stored;
  const replaced = await overwrite(users, user, user);
  return replaced === 'stale' ? taken(user) : replaced;
};

/** Stores another user than the given one, and returns the given one. */
const storing =
  (change: (user: User, previous?: User) => User) =>
  (users: UserStore): Partial<UserStore> => ({
    insert: async (user) => {
      const stored = await users.insert(change(user));
      return isTaken(stored) ? stored : { ...stored, user };
    },
    replace: async (previous, next) => {
      const stored = await users.replace(previous, change(next, previous.user));
      return isWritten(stored) ? { ...stored, user: next } : stored;
    },
  });

/** Finds the first of all users whose key matches another one. */
const findingBy =
  (matches: (stored: string, key: string) => boolean) =>
  (users: UserStore): Partial<UserStore> => {
    const keys = new Set<EmailKey>();
    return {
      find: async (key) => {
        for (const stored of [...keys].filter((one) => matches(one, key))) {
          const found = await users.find(stored);
          if (found !== undefined) return found;
        }
        return users.find(key);
      },
      insert: (user) => {
        keys.add(keyOfUser(user));
        return users.insert(user);
      },
      replace: (previous, next) => {
        keys.add(keyOfUser(next));
        return users.replace(previous, next);
      },
    };
  };

/** Refuses a user whose key is that of another one for a unique index. */
const uniqueBy =
  (indexed: (key: string) => string) =>
  (users: UserStore): Partial<UserStore> => {
    const finding = findingBy((stored, key) => indexed(stored) === indexed(key))(users);
    const isFree = async (user: User) => (await finding.find?.(keyOfUser(user))) === undefined;
    return {
      ...finding,
      insert: async (user) => ((await isFree(user)) && finding.insert?.(user)) || taken(user),
    };
  };

const withEmail = (user: User, changes: Partial<Email>): User => ({ ...user, email: { ...user.email, ...changes } });
const texts =
  (change: (text: string) => string) =>
  (user: User): User => ({
    ...user,
    password: change(user.password),
    properties: asProperties(change(user.properties)),
  });
const properties =
  (change: (text: string) => string) =>
  (user: User): User => ({
    ...user,
    properties: asProperties(change(user.properties)),
  });

const contentOf = (user: User): string => createHash('sha256').update(JSON.stringify(user)).digest('hex');

export const userMistakes: Readonly<Record<string, UserMistake>> = {
  'an insert that overwrites': [
    'refuses a second user with an address',
    (users) => ({ insert: (user) => insertOver(users, user) }),
  ],
  'a look-up before an insert in place of a unique key': [
    'lets exactly one of 64 concurrent inserts',
    (users) => ({
      insert: async (user) => {
        if ((await users.find(keyOfUser(user))) !== undefined) return taken(user);
        await roundTrip();
        return insertOver(users, user);
      },
    }),
  ],
  'an insert with a lock of one process': [
    'of two processes lets exactly one of 64 concurrent inserts',
    (users) => ({
      insert: oneByOne(async (user: User) => {
        if ((await users.find(keyOfUser(user))) !== undefined) return taken(user);
        await roundTrip();
        return insertOver(users, user);
      }),
    }),
  ],
  'a move that locks out other moves, and not inserts': [
    'lets exactly one of a new user and a user who moves',
    (users) => ({
      replace: oneByOne(async (previous: StoredUser, next: User) => {
        if (!isMove(previous, next)) return users.replace(previous, next);
        if ((await users.find(keyOfUser(next))) !== undefined) return taken(next);
        await roundTrip();
        const other = await users.find(keyOfUser(next));
        if (other !== undefined) await users.remove(other);
        return users.replace(previous, next);
      }),
    }),
  ],
  'a look-up with LIKE': [
    'a wildcard of LIKE for one character',
    findingBy((stored, key) => new RegExp(`^${literally(key).replaceAll('_', '.')}$`, 'u').test(stored)),
  ],
  'a look-up with a regular expression': [
    'compares addresses by their keys: a dot',
    findingBy((stored, key) => new RegExp(`^${key.replaceAll(/[^\p{L}\p{N}@.-]/gu, literally)}$`, 'u').test(stored)),
  ],
  'a unique index that ignores accents': [
    'compares addresses by their keys: an accent',
    uniqueBy((key) => key.normalize('NFD').replaceAll(/\p{M}/gu, '')),
  ],
  'a unique index of the first 191 characters': [
    'the end of the longest address',
    uniqueBy((key) => key.slice(0, 191)),
  ],
  'keys that the store makes itself, in lower case': [
    'compares addresses by their keys: final sigma',
    (users) => {
      const keys = new Map<string, EmailKey>();
      const add = (user: User) => keys.set(user.email.address.toLowerCase(), keyOfUser(user));
      return {
        find: async (key) => {
          const stored = keys.get(key);
          return stored && users.find(stored);
        },
        insert: async (user) => {
          if (keys.has(user.email.address.toLowerCase())) return users.insert(user);
          add(user);
          return users.insert(user);
        },
        remove: (previous) => {
          keys.delete(previous.user.email.address.toLowerCase());
          return users.remove(previous);
        },
      };
    },
  ],
  'keys with the case of the address': [
    'changes the case of an address',
    (users) => ({
      find: async (key) => {
        const found = await users.find(key);
        return String(found?.user.email.address) === key ? found : undefined;
      },
    }),
  ],
  'a change that ignores the version': [
    'lets exactly one of 64 concurrent writes of a version win',
    (users) => ({
      replace: async (previous, next) => {
        const outcome = await users.replace(previous, next);
        return outcome === 'stale' ? overwrite(users, previous.user, next) : outcome;
      },
    }),
  ],
  'changes that get lost, because the version is compared before the write': [
    'loses no update of 64 writers',
    (users) => ({
      replace: async (previous, next) => {
        const current = await users.find(keyOfUser(previous.user));
        if (current?.version !== previous.version) return 'stale';
        await roundTrip();
        return overwrite(users, previous.user, next);
      },
    }),
  ],
  'a change with a lock of one process': [
    'of two processes lets exactly one of 64 concurrent writes',
    (users) => ({
      replace: oneByOne(async (previous: StoredUser, next: User) => {
        const current = await users.find(keyOfUser(previous.user));
        if (current?.version !== previous.version) return 'stale';
        await roundTrip();
        return overwrite(users, previous.user, next);
      }),
    }),
  ],
  'a change that keeps the version': [
    'replaces the user and gives it a new version',
    (users) => ({
      replace: async (previous, next) => {
        const stored = await users.replace(previous, next);
        return isWritten(stored) ? { ...stored, version: previous.version } : stored;
      },
    }),
  ],
  'versions that are a digest of the user': [
    'is stale for every write when the user was replaced with the very same user',
    (users) => {
      const versioned = (stored: StoredUser): StoredUser => ({ ...stored, version: contentOf(stored.user) });
      const current = async (previous: StoredUser): Promise<StoredUser> => {
        const found = await users.find(keyOfUser(previous.user));
        return found !== undefined && contentOf(found.user) === previous.version ? found : previous;
      };
      return {
        find: async (key) => {
          const found = await users.find(key);
          return found && versioned(found);
        },
        insert: async (user) => {
          const stored = await users.insert(user);
          return isTaken(stored) ? stored : versioned(stored);
        },
        replace: async (previous, next) => {
          const stored = await users.replace(await current(previous), next);
          return isWritten(stored) ? versioned(stored) : stored;
        },
        remove: async (previous) => users.remove(await current(previous)),
      };
    },
  ],
  'versions that count from one for each user': [
    'gives every write another version',
    (users) => {
      const real = new Map<string, StoredUser>();
      const versions = new Map<string, number>();
      const counted = (stored: StoredUser, count: number): StoredUser => {
        const key = keyOfUser(stored.user);
        versions.set(key, count);
        real.set(`${key} ${count}`, stored);
        return { ...stored, version: String(count) };
      };
      const known = (previous: StoredUser) => real.get(`${keyOfUser(previous.user)} ${previous.version}`) ?? previous;
      return {
        find: async (key) => {
          const found = await users.find(key);
          return found && { ...found, version: String(versions.get(key)) };
        },
        insert: async (user) => {
          const stored = await users.insert(user);
          return isTaken(stored) ? stored : counted(stored, 1);
        },
        replace: async (previous, next) => {
          const stored = await users.replace(known(previous), next);
          return isWritten(stored) ? counted(stored, Number(previous.version) + 1) : stored;
        },
        remove: (previous) => users.remove(known(previous)),
      };
    },
  ],
  'a move that first inserts, then removes': [
    'never shows the user under both addresses',
    (users) => ({
      replace: async (previous, next) => {
        if (!isMove(previous, next)) return users.replace(previous, next);
        const stored = await users.insert(next);
        await roundTrip();
        await users.remove(previous);
        return stored;
      },
    }),
  ],
  'a move that first removes, then inserts': [
    'never shows the user under both addresses',
    (users) => ({
      replace: async (previous, next) => {
        if (!isMove(previous, next)) return users.replace(previous, next);
        if ((await users.remove(previous)) === 'stale') return 'stale';
        await roundTrip();
        return users.insert(next);
      },
    }),
  ],
  'a move that leaves the former address': [
    'moves the user to a free address',
    (users) => ({
      replace: (previous, next) => (isMove(previous, next) ? users.insert(next) : users.replace(previous, next)),
    }),
  ],
  'a move over the user who has the address': [
    'refuses the address of another user',
    (users) => ({
      replace: async (previous, next) => {
        const outcome = await users.replace(previous, next);
        if (outcome === 'stale' || isWritten(outcome)) return outcome;
        const other = await users.find(keyOfUser(next));
        if (other !== undefined) await users.remove(other);
        return users.replace(previous, next);
      },
    }),
  ],
  'a removal that ignores the version': [
    'is stale for every write when the user was replaced',
    (users) => ({
      remove: async (previous) => {
        const current = await users.find(keyOfUser(previous.user));
        return current === undefined ? 'stale' : users.remove(current);
      },
    }),
  ],
  'a removal that removes nothing': ['remove removes the user', () => ({ remove: async () => 'removed' })],
  'a second removal that succeeds': [
    'is stale for every write when the user was removed',
    (users) => ({
      remove: async (previous) => {
        await users.remove(previous);
        return 'removed';
      },
    }),
  ],
  'a cache of one process': [
    'finds at once what another process wrote',
    (users) => {
      const cache = new Map<string, StoredUser | undefined>();
      return {
        find: async (key) => {
          if (!cache.has(key)) cache.set(key, await users.find(key));
          return cache.get(key);
        },
      };
    },
  ],
  'a check that says nothing': ['reports its health', () => ({ check: async () => '' })],
  'texts without NUL': ['NUL in the password', storing(texts((text) => text.replaceAll('\0', '')))],
  'texts that are trimmed': ['white space at the ends', storing(texts((text) => text.trim()))],
  'texts that are composed': ['characters beyond the basic plane', storing(texts((text) => text.normalize('NFC')))],
  'characters of at most three bytes': [
    'characters beyond the basic plane',
    storing(texts((text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'))),
  ],
  'a column of 255 characters': [
    'a long password',
    storing((user) => ({ ...user, password: user.password.slice(0, 255) })),
  ],
  'a record of at most 64 KiB': ['a user of the largest size', storing(properties((text) => text.slice(0, 65_536)))],
  'properties that are parsed and written again': [
    'large, small and negative numbers',
    storing(properties((text) => JSON.stringify(JSON.parse(text)))),
  ],
  'properties in the order of their names': [
    'the order of the properties',
    storing(properties((text) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).sort())))),
  ],
  'an empty token as none': [
    'an empty token',
    storing((user) => {
      const { verified, token } = user.email.verification;
      return token === '' ? withEmail(user, { verification: { verified, token: null } }) : user;
    }),
  ],
  'times of 32 bits': ['the largest times', storing((user) => ({ ...user, creationTime: user.creationTime | 0 }))],
  'times in seconds': [
    'the largest times',
    storing((user) => ({ ...user, creationTime: user.creationTime - (user.creationTime % 1_000) })),
  ],
  'addresses in lower case': [
    'an empty token',
    storing((user) => {
      const address = user.email.address.toLowerCase();
      return EmailAddress.is(address) ? withEmail(user, { address }) : user;
    }),
  ],
  'a forgotten field': ['disabledTime and its absence', storing(({ disablement: _, ...user }) => user)],
  'a change that keeps the fields that it does not have': [
    'disabledTime and its absence',
    storing((user, previous) => ({ ...previous, ...user })),
  ],
};
