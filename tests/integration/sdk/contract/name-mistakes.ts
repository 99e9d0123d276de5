import { randomUUID } from 'node:crypto';
import {
  isTaken,
  type StoredUser,
  type StorePorts,
  type Taken,
  type UserNames,
  type UserStore,
  type WriteOptions,
} from '../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';
import { isUserName, type UserName } from '../../../../domain/user-name.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { isWritten } from '../../../../sdk/contract/outcomes.ts';
import { oneByOne, roundTrip } from './altered-port.ts';

/** A right store with names. */
export type NamedPorts = Required<Pick<StorePorts, 'users' | 'names'>>;

/** The methods of a store with names that a mistake replaces. */
export interface AlteredNames {
  readonly users?: Partial<UserStore>;
  readonly names?: Partial<UserNames>;
}

/** A mistake in a store with names, and the title of the test that finds it. */
export type NameMistake = readonly [foundBy: string, mistake: (ports: NamedPorts) => AlteredNames];

const keyOfUser = ({ email }: User) => keyOf(email.address);
const isMove = (previous: StoredUser, next: User): boolean => keyOfUser(previous.user) !== keyOfUser(next);

/** A user whom no test knows. */
export const ghost = (): User => userOf(`ghost-${randomUUID()}@example.com`);

/** Takes names from the users who have them. */
const free = async ({ users, names }: NamedPorts, taken: readonly UserName[] = []): Promise<void> => {
  for (const name of taken) {
    const holder = await names.find(name);
    if (holder === undefined) continue;
    const left = (holder.names ?? []).filter((one) => one !== name);
    await users.replace(holder, holder.user, { names: left });
  }
};

/** Repeats a write that a name refuses, after its user has lost it. */
const overwriting = async <Outcome extends StoredUser | string>(
  ports: NamedPorts,
  write: () => Promise<Outcome | Taken>,
): Promise<Outcome | Taken> => {
  const outcome = await write();
  if (typeof outcome !== 'object' || !isTaken(outcome) || !isUserName(outcome.taken)) return outcome;
  await free(ports, [outcome.taken]);
  return write();
};

/** Looks for users with the names before it writes. */
const afterLookUp =
  (ports: NamedPorts): UserStore['insert'] =>
  async (user, options = {}) => {
    for (const name of options.names ?? []) if ((await ports.names.find(name)) !== undefined) return { taken: name };
    await roundTrip();
    return overwriting(ports, () => ports.users.insert(user, options));
  };

/** Changes what a write reports as taken. */
const reporting =
  (change: (taken: Taken, user: User, names: readonly UserName[]) => Taken) =>
  ({ users }: NamedPorts): AlteredNames => {
    const changed = <Outcome extends StoredUser | Taken | string>(
      outcome: Outcome,
      user: User,
      { names = [] }: WriteOptions,
    ) => (typeof outcome === 'object' && isTaken(outcome) ? change(outcome, user, names) : outcome);
    return {
      users: {
        insert: async (user, options = {}) => changed(await users.insert(user, options), user, options),
        replace: async (previous, next, options = {}) =>
          changed(await users.replace(previous, next, options), next, options),
      },
    };
  };

/** Compares names in another form, such as that of a collation. */
const comparedAs =
  (form: (name: string) => string) =>
  ({ users, names }: NamedPorts): AlteredNames => {
    const given = new Map<string, readonly UserName[] | undefined>();
    const formOf = (name: UserName): UserName => {
      const changed = form(name);
      return isUserName(changed) ? changed : name;
    };
    const original = (outcome: StoredUser | Taken, wanted: readonly UserName[] = []): StoredUser | Taken => {
      if (isTaken(outcome))
        return { ...outcome, taken: wanted.find((name) => formOf(name) === outcome.taken) ?? outcome.taken };
      given.set(outcome.version, wanted);
      return wanted.length === 0 ? outcome : { ...outcome, names: wanted };
    };
    const found = (stored: StoredUser | undefined): StoredUser | undefined => {
      const known = stored && given.get(stored.version);
      return stored && known?.length ? { ...stored, names: known } : stored;
    };
    const formed = (options: WriteOptions = {}): WriteOptions => ({
      ...options,
      names: options.names?.map(formOf) ?? [],
    });
    return {
      names: { find: async (name) => found(await names.find(formOf(name))) },
      users: {
        find: async (key) => found(await users.find(key)),
        insert: async (user, options) => original(await users.insert(user, formed(options)), options?.names),
        replace: async (previous, next, options) => {
          const outcome = await users.replace(previous, next, formed(options));
          return outcome === 'stale' ? outcome : original(outcome, options?.names);
        },
      },
    };
  };

const staying = 'are taken and given back by a replacement of a user who stays';
const moving = 'are taken and given back by a replacement under another address';

export const nameMistakes: Readonly<Record<string, NameMistake>> = {
  'names that stay after a removal': [
    'are given back when their user is removed',
    ({ users }) => ({
      users: {
        remove: async (previous, options) => {
          const outcome = await users.remove(previous, options);
          if (outcome === 'removed') await users.insert(ghost(), { names: previous.names ?? [] });
          return outcome;
        },
      },
    }),
  ],
  'names that a replacement adds to the former ones': [
    staying,
    ({ users }) => ({
      users: {
        replace: (previous, next, options) =>
          users.replace(previous, next, {
            ...options,
            names: [...new Set([...(previous.names ?? []), ...(options?.names ?? [])])],
          }),
      },
    }),
  ],
  'names that stay under the former address': [
    moving,
    ({ users }) => ({
      users: {
        replace: async (previous, next, options) => {
          const outcome = await users.replace(previous, next, options);
          const left = (previous.names ?? []).filter((name) => !options?.names?.includes(name));
          if (isWritten(outcome) && isMove(previous, next)) await users.insert(ghost(), { names: left });
          return outcome;
        },
      },
    }),
  ],
  'names that get lost in a move': [
    'are kept by a user who moves',
    ({ users }) => ({
      users: {
        replace: (previous, next, options) =>
          users.replace(previous, next, isMove(previous, next) ? { ...options, names: [] } : options),
      },
    }),
  ],
  'names that get lost when they do not change': [
    'are kept by a replacement that has the same ones',
    ({ users }) => ({
      users: {
        replace: (previous, next, options) =>
          users.replace(previous, next, {
            ...options,
            names: options?.names?.filter((name) => !previous.names?.includes(name)) ?? [],
          }),
      },
    }),
  ],
  'own names that are reported as taken': [
    'are kept by a replacement that has the same ones',
    ({ users }) => ({
      users: {
        replace: async (previous, next, options) => {
          const own = options?.names?.find((name) => previous.names?.includes(name));
          return own === undefined ? users.replace(previous, next, options) : { taken: own };
        },
      },
    }),
  ],
  'names by which the former address is found': [
    'are kept by a user who moves',
    ({ users, names }) => {
      const first = new Map<UserName, User>();
      return {
        users: {
          insert: (user, options) => {
            for (const name of options?.names ?? []) first.set(name, user);
            return users.insert(user, options);
          },
        },
        names: {
          find: async (name) => {
            const user = first.get(name);
            return user === undefined ? names.find(name) : users.find(keyOfUser(user));
          },
        },
      };
    },
  ],
  'names that a user is found without': [
    'are those with which a user is inserted',
    ({ users }) => ({
      users: {
        find: async (key) => {
          const { names: _, ...stored } = (await users.find(key)) ?? { version: '' };
          return 'user' in stored ? stored : undefined;
        },
      },
    }),
  ],
  'names that an empty list stands for': [
    'are absent from a user without any',
    ({ users }) => ({
      users: {
        insert: async (user, options) => {
          const stored = await users.insert(user, options);
          return isWritten(stored) ? { ...stored, names: stored.names ?? [] } : stored;
        },
      },
    }),
  ],
  'an insert that writes its names afterwards': [
    'is there in one step with its new user',
    ({ users }) => ({
      users: {
        insert: async (user, { names = [], ...options } = {}) => {
          const first = await users.insert(user, options);
          if (!isWritten(first)) return first;
          await roundTrip();
          const outcome = await users.replace(first, user, { names });
          if (isWritten(outcome)) return outcome;
          await users.remove(first);
          return outcome === 'stale' ? first : outcome;
        },
      },
    }),
  ],
  'a change that gives its names back before': [
    'a name that is read changes in one step',
    ({ users }) => ({
      users: {
        replace: async (previous, next, options) => {
          const { names: kept = [] } = previous;
          const without = await users.replace(previous, previous.user, {
            names: kept.filter((name) => options?.names?.includes(name)),
          });
          await roundTrip();
          return isWritten(without) ? users.replace(without, next, options) : without;
        },
      },
    }),
  ],
  'a stale removal that gives names back': [
    'takes no name from who has it after a removal',
    (ports) => ({
      users: {
        remove: async (previous, options) => {
          const outcome = await ports.users.remove(previous, options);
          if (outcome === 'stale') await free(ports, previous.names);
          return outcome;
        },
      },
    }),
  ],
  'a stale change that gives names back': [
    'takes no name from its user after a move',
    (ports) => ({
      users: {
        replace: async (previous, next, options) => {
          const outcome = await ports.users.replace(previous, next, options);
          if (outcome === 'stale') await free(ports, previous.names);
          return outcome;
        },
      },
    }),
  ],
  'a stale change that takes names': [
    'neither takes nor gives back a name',
    ({ users }) => ({
      users: {
        replace: async (previous, next, options) => {
          const outcome = await users.replace(previous, next, options);
          if (outcome === 'stale') await users.insert(ghost(), { names: options?.names ?? [] });
          return outcome;
        },
      },
    }),
  ],
  'an insert that takes the names of other users': [
    'refuses an insert, which writes nothing',
    (ports) => ({
      users: { insert: (user, options) => overwriting(ports, () => ports.users.insert(user, options)) },
    }),
  ],
  'a change that takes the names of other users': [
    'refuses a replacement of a user who stays',
    (ports) => ({
      users: {
        replace: (previous, next, options) => overwriting(ports, () => ports.users.replace(previous, next, options)),
      },
    }),
  ],
  'a refused insert that keeps its other names': [
    'refuses an insert, which writes nothing',
    ({ users, names }) => ({
      users: {
        insert: async (user, options) => {
          const outcome = await users.insert(user, options);
          if (isWritten(outcome)) return outcome;
          for (const name of options?.names ?? [])
            if ((await names.find(name)) === undefined) await users.insert(ghost(), { names: [name] });
          return outcome;
        },
      },
    }),
  ],
  'a refused change that gives the own names back': [
    'refuses a replacement under another address',
    (ports) => ({
      users: {
        replace: async (previous, next, options) => {
          const outcome = await ports.users.replace(previous, next, options);
          if (outcome !== 'stale' && isTaken(outcome)) await free(ports, previous.names);
          return outcome;
        },
      },
    }),
  ],
  'a loser of a race that loses its own names': [
    'goes to exactly one of 32 users, and no other loses its own',
    (ports) => ({
      users: {
        replace: async (previous, next, options) => {
          const outcome = await ports.users.replace(previous, next, options);
          if (outcome !== 'stale' && isTaken(outcome)) await free(ports, previous.names);
          return outcome;
        },
      },
    }),
  ],
  'a look-up of names before an insert in place of a unique index': [
    'goes to exactly one of 64 concurrent inserts',
    (ports) => ({ users: { insert: afterLookUp(ports) } }),
  ],
  'names with a lock of one process': [
    'goes to exactly one of 64 concurrent inserts of two processes',
    (ports) => ({ users: { insert: oneByOne(afterLookUp(ports)) } }),
  ],
  'a change whose names are unique only among changes': [
    'goes to a new user, or to one who takes it',
    (ports) => ({
      users: {
        replace: oneByOne(async (previous: StoredUser, next: User, options: WriteOptions = {}) => {
          for (const name of options.names ?? [])
            if (((await ports.names.find(name)) ?? previous).version !== previous.version) return { taken: name };
          await roundTrip();
          return overwriting(ports, () => ports.users.replace(previous, next, options));
        }),
      },
    }),
  ],
  'the first of the names as the one that is taken': [
    'is the one that is reported',
    reporting((taken, _, [first]) =>
      isUserName(taken.taken) && first !== undefined ? { ...taken, taken: first } : taken,
    ),
  ],
  'the address in place of a name that is taken': [
    'refuses an insert, which writes nothing',
    reporting((_, user) => ({ taken: keyOfUser(user) })),
  ],
  'a name in place of the address that is taken': [
    'is not reported if another user has the address',
    reporting((taken, _, [first]) => (first === undefined ? taken : { ...taken, taken: first })),
  ],
  'a look-up of the user by the address that a name had': [
    'always finds its user, who moves and changes meanwhile',
    ({ users, names }) => ({
      names: {
        find: async (name) => {
          const found = await names.find(name);
          await roundTrip();
          return found && users.find(keyOfUser(found.user));
        },
      },
    }),
  ],
  'a look-up of a user who may have lost the name meanwhile': [
    'finds only a user who has it, while it goes from one to the other',
    ({ users, names }) => ({
      names: {
        find: async (name) => {
          const found = await names.find(name);
          return found && ((await users.find(keyOfUser(found.user))) ?? names.find(name));
        },
      },
    }),
  ],
  'a cache of names of one process': [
    'a name that is read finds at once what another process wrote',
    ({ names }) => {
      const cache = new Map<UserName, StoredUser | undefined>();
      return {
        names: {
          find: async (name) => {
            if (!cache.has(name)) cache.set(name, await names.find(name));
            return cache.get(name);
          },
        },
      };
    },
  ],
  'a removal that gives back all names that its user ever had': [
    'makes any sequence of writes as a store in memory does',
    (ports) => {
      const held = new Map<string, Set<UserName>>();
      const hold = (user: User, options: WriteOptions = {}): void => {
        const names = held.get(keyOfUser(user)) ?? new Set();
        for (const name of options.names ?? []) names.add(name);
        held.set(keyOfUser(user), names);
      };
      return {
        users: {
          insert: (user, options) => {
            hold(user, options);
            return ports.users.insert(user, options);
          },
          replace: (previous, next, options) => {
            hold(next, options);
            return ports.users.replace(previous, next, options);
          },
          remove: async (previous, options) => {
            const outcome = await ports.users.remove(previous, options);
            if (outcome === 'removed') await free(ports, [...(held.get(keyOfUser(previous.user)) ?? [])]);
            return outcome;
          },
        },
      };
    },
  ],
  'names in lower case': ['of two users are not equal: the case of a value', comparedAs((name) => name.toLowerCase())],
  'ids in lower case': ['of two users are not equal: the case of an id', comparedAs((name) => name.toLowerCase())],
  'names that are trimmed': [
    'of two users are not equal: white space at the end',
    comparedAs((name) => name.trimEnd()),
  ],
  'names that are composed': ['of two users are not equal: composition', comparedAs((name) => name.normalize('NFC'))],
  'names without accents': [
    'of two users are not equal: an accent',
    comparedAs((name) => name.normalize('NFD').replaceAll(/\p{M}/gu, '')),
  ],
  'names without NUL': ['of two users are not equal: NUL', comparedAs((name) => name.replaceAll('\0', ''))],
  'a unique index of the first 191 characters of a name': [
    'of two users are not equal: the end of a long value',
    comparedAs((name) => name.slice(0, 191)),
  ],
  'characters of names of at most three bytes': [
    'of two users are not equal: characters beyond the basic plane',
    comparedAs((name) => name.replace(/[\u{10000}-\u{10ffff}]/gu, '?')),
  ],
  'values of all properties under one index': [
    'of two users are not equal: two properties',
    comparedAs((name) => name.replace(/^property \S+ /, 'property any ')),
  ],
};
