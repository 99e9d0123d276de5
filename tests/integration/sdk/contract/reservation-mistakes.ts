import type { Reservation, UserStore, WriteOptions } from '../../../../application/ports/user-store.ts';
import { EmailAddress, keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';
import { isUserName, type UserKey } from '../../../../domain/user-name.ts';
import { addressOf, userOf } from '../../../../sdk/contract/arbitraries.ts';
import { isWritten } from '../../../../sdk/contract/outcomes.ts';
import { oneByOne, roundTrip } from './altered-port.ts';
import { ghost, type NameMistake } from './name-mistakes.ts';

const keyOfUser = ({ email }: User) => keyOf(email.address);

/** Ends a reservation, as a write of its key does. */
const end = async (users: UserStore, reservation: Reservation): Promise<void> => {
  const { key } = reservation;
  const options = { reservations: [reservation], names: isUserName(key) ? [key] : [] };
  const stored = await users.insert(isUserName(key) ? ghost() : userOf(key), options);
  if (isWritten(stored)) await users.remove(stored);
};

/** Repeats a write with the reservation that refused it, if `mayIgnore` says so. */
const ignoring =
  (mayIgnore: (key: UserKey, options: WriteOptions) => boolean, methods: readonly ('insert' | 'replace')[]) =>
  ({ users }: { readonly users: UserStore }) => {
    const written = async <Outcome>(
      options: WriteOptions,
      write: (options: WriteOptions) => Promise<Outcome>,
    ): Promise<Outcome> => {
      const outcome = await write(options);
      const { reservation }: { readonly reservation?: Reservation } = Object(outcome);
      if (reservation === undefined || !mayIgnore(reservation.key, options)) return outcome;
      return written({ ...options, reservations: [...(options.reservations ?? []), reservation] }, write);
    };
    const insert: UserStore['insert'] = (user, options = {}) => written(options, (all) => users.insert(user, all));
    const replace: UserStore['replace'] = (previous, next, options = {}) =>
      written(options, (all) => users.replace(previous, next, all));
    return {
      users: { ...(methods.includes('insert') && { insert }), ...(methods.includes('replace') && { replace }) },
    };
  };

/** Reserves a key again only with the version that it had first. */
const keepingVersion =
  (isKept: (key: UserKey) => boolean) =>
  ({ users }: { readonly users: UserStore }) => {
    const first = new Map<UserKey, Reservation>();
    const reserve: UserStore['reserve'] = async (key) => {
      const known = first.get(key);
      if (known !== undefined) return known;
      const reservation = await users.reserve(key);
      if (reservation !== 'taken' && isKept(key)) first.set(key, reservation);
      return reservation;
    };
    return { users: { reserve } };
  };

const both = ['insert', 'replace'] as const;

/** Mistakes in reservations. Those of addresses are found in a store without names, too. */
export const reservationMistakes: Readonly<Record<string, NameMistake>> = {
  'reservations that no write respects': [
    'find no user, after which no earlier insert is applied',
    ignoring(() => true, both),
  ],
  'reservations that an insert does not respect': [
    'a reservation of an address is for the writes that know its version',
    ignoring(() => true, ['insert']),
  ],
  'reservations that a move does not respect': [
    'a reservation of an address is for a user who moves',
    ignoring(() => true, ['replace']),
  ],
  'reservations of names that no write respects': [
    'a reserved name is for the writes that know the version of the reservation',
    ignoring(isUserName, both),
  ],
  'a write that knows some reservation, and ends that of any version': [
    'is for the writes that know its version',
    ignoring((_, { reservations = [] }) => reservations.length > 0, both),
  ],
  'a renewed reservation that keeps its version': [
    'has another version when it is renewed',
    keepingVersion((key) => !isUserName(key)),
  ],
  'a renewed reservation of a name that keeps its version': [
    'has another version when it is reserved again',
    keepingVersion(isUserName),
  ],
  'a reservation that is over at once, because its time is in seconds': [
    'find no user, after which no earlier insert is applied',
    ({ users }) => ({
      users: {
        reserve: async (key) => {
          const reservation = await users.reserve(key);
          if (reservation !== 'taken') await end(users, reservation);
          return reservation;
        },
      },
    }),
  ],
  'a reservation that stays after its key has got a user': [
    'ends when a user gets the address',
    ({ users }) => {
      const reserved = new Set<UserKey>();
      return {
        users: {
          reserve: (key) => {
            reserved.add(key);
            return users.reserve(key);
          },
          remove: async (previous, options) => {
            const outcome = await users.remove(previous, options);
            const key = keyOfUser(previous.user);
            if (outcome === 'removed' && reserved.has(key)) await users.reserve(key);
            return outcome;
          },
        },
      };
    },
  ],
  'a reservation of the key of a user': [
    'is refused if a user has the address',
    ({ users }) => ({
      users: {
        reserve: async (key) => {
          const reservation = await users.reserve(key);
          return reservation === 'taken' ? { key, version: 'reserved' } : reservation;
        },
      },
    }),
  ],
  'a reservation that replaces a user': [
    'is not reserved if a user has it, who keeps it',
    ({ users, names }) => ({
      users: {
        reserve: async (key) => {
          const holder = isUserName(key) ? await names.find(key) : undefined;
          if (holder !== undefined) await users.replace(holder, holder.user);
          return users.reserve(key);
        },
      },
    }),
  ],
  'a reservation that is found as a user': [
    'find no user, after which no earlier insert is applied',
    ({ users }) => {
      const reserved = new Set<UserKey>();
      return {
        users: {
          reserve: (key) => {
            reserved.add(key);
            return users.reserve(key);
          },
          find: async (key) => {
            const found = await users.find(key);
            if (found !== undefined || !reserved.has(key) || !EmailAddress.is(key)) return found;
            return { user: userOf(addressOf(key), { password: '' }), version: 'reserved' };
          },
        },
      };
    },
  ],
  'a refusal that does not name the reservation': [
    'a reservation of an address is for the writes that know its version',
    ({ users }) => ({
      users: {
        insert: async (user, options) => {
          const outcome = await users.insert(user, options);
          return isWritten(outcome) ? outcome : { taken: outcome.taken };
        },
      },
    }),
  ],
  'a write that ends every reservation that it knows': [
    'is not ended by a write that needs another key',
    ({ users }) => ({
      users: {
        insert: async (user, options) => {
          const outcome = await users.insert(user, options);
          for (const reservation of options?.reservations ?? []) await end(users, reservation);
          return outcome;
        },
      },
    }),
  ],
  'a write that is not made, and ends the reservations that it knows': [
    'is not ended by a write that needs another key, or is not made',
    ({ users }) => ({
      users: {
        replace: async (previous, next, options) => {
          const outcome = await users.replace(previous, next, options);
          if (outcome === 'stale') for (const one of options?.reservations ?? []) await end(users, one);
          return outcome;
        },
      },
    }),
  ],
  'a refused write that ends the reservation of its address': [
    'and a reserved address are taken by one write that knows both',
    ({ users }) => ({
      users: {
        insert: async (user, options) => {
          const outcome = await users.insert(user, options);
          if (!isWritten(outcome)) for (const one of options?.reservations ?? []) await end(users, one);
          return outcome;
        },
      },
    }),
  ],
  'a write that knows only one reservation': [
    'and a reserved address are taken by one write that knows both',
    ({ users }) => ({
      users: {
        insert: (user, options) =>
          users.insert(user, { ...options, reservations: options?.reservations?.slice(0, 1) ?? [] }),
      },
    }),
  ],
  'a move that takes the reserved address first, and then the name': [
    'is taken with a reserved address by a user who moves',
    ({ users }) => ({
      users: {
        replace: async (previous, next, options) => {
          const [name] = options?.names ?? [];
          const reservation = options?.reservations?.find(({ key }) => key === name);
          if (reservation !== undefined) await users.reserve(reservation.key);
          return users.replace(previous, next, options);
        },
      },
    }),
  ],
  'a reservation that is made after a look-up': [
    'is made, or a user gets the address, if both happen at once',
    ({ users }) => ({
      users: {
        reserve: oneByOne(async (key: UserKey) => {
          const reservation = await users.reserve(key);
          if (reservation === 'taken') return 'taken';
          await end(users, reservation);
          await roundTrip();
          const again = await users.reserve(key);
          return again === 'taken' ? reservation : again;
        }),
      },
    }),
  ],
  'a reservation of a name that is made after a look-up': [
    'is reserved, or a user has it, if both want it at once',
    ({ users, names }) => ({
      users: {
        reserve: async (key) => {
          if (!isUserName(key)) return users.reserve(key);
          if ((await names.find(key)) !== undefined) return 'taken';
          await roundTrip();
          const reservation = await users.reserve(key);
          return reservation === 'taken' ? { key, version: 'reserved' } : reservation;
        },
      },
    }),
  ],
  'a reservation that ends with the first of several writes that know it': [
    'is for one of 32 writes that know its version',
    ({ users }) => ({
      users: {
        insert: async (user, options) => {
          const outcome = await users.insert(user, options);
          if (isWritten(outcome) || options?.reservations === undefined) return outcome;
          const holder = await users.find(keyOfUser(user));
          return holder === undefined
            ? outcome
            : users.replace(holder, user, options).then((one) => (one === 'stale' ? outcome : one));
        },
      },
    }),
  ],
};
