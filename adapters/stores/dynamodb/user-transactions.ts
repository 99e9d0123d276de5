import type { StoredUser, WriteOptions } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import type { UserKey, UserName } from '../../../domain/user-name.ts';
import { type Item, keyAttribute, keyItem, toEntry, toItem } from './items.ts';
import type { Write } from './transaction.ts';

type Reservations = WriteOptions['reservations'];

/**
 * Returns the stored item with a failed condition, because an earlier attempt of the same request may have written it, or
 * because it may be a reservation.
 */
const returnStored = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

const isAbsent = `attribute_not_exists(${keyAttribute})`;

/** The condition of a write of a user who still has this version. */
const ifVersion = (version: string) => ({
  ConditionExpression: 'version = :version',
  ExpressionAttributeValues: { ':version': { S: version } },
  ...returnStored,
});

const ifFree = (key: UserKey, reservations: Reservations = []) => {
  const versions = reservations.filter((known) => known.key === key).map(({ version }) => ({ S: version }));
  if (versions.length === 0) return { ConditionExpression: isAbsent, ...returnStored };
  const values = Object.fromEntries(versions.map((version, index) => [`:reserved${index}`, version]));
  return {
    // A reservation may have expired since it was read.
    ConditionExpression: `${isAbsent} OR version IN (${Object.keys(values).join()})`,
    ExpressionAttributeValues: values,
    ...returnStored,
  };
};

/** Takes a key that is free, or whose reservation is known. */
const taking = (TableName: string, takes: UserKey, Item: Item, reservations: Reservations): Write => ({
  takes,
  item: { Put: { TableName, Item, ...ifFree(takes, reservations) } },
});

/** The entries of new names. */
const takingNames = (
  TableName: string,
  names: readonly UserName[],
  holder: EmailKey,
  version: string,
  reservations: Reservations,
): readonly Write[] => names.map((name) => taking(TableName, name, toEntry(name, holder, version), reservations));

/** Removes entries. The condition on the version of their user is also one on its names. */
const freeingNames = (TableName: string, names: readonly UserName[]): readonly Write[] =>
  names.map((name) => ({ item: { Delete: { TableName, Key: keyItem(name) } } }));

const removalOf = (TableName: string, { user, version }: StoredUser): Write => ({
  item: { Delete: { TableName, Key: keyItem(keyOf(user.email.address)), ...ifVersion(version) } },
});

/** The writes that add a user with this version. */
export const insertion = (
  TableName: string,
  user: User,
  version: string,
  { names = [], reservations }: WriteOptions,
): readonly Write[] => {
  const key = keyOf(user.email.address);
  return [
    taking(TableName, key, toItem(user, version, names), reservations),
    ...takingNames(TableName, names, key, version, reservations),
  ];
};

/** The writes that replace a user, also under another address and with other names. The first one has the new version. */
export const replacement = (
  TableName: string,
  previous: StoredUser,
  next: User,
  version: string,
  { names = [], reservations }: WriteOptions,
): readonly Write[] => {
  const from = keyOf(previous.user.email.address);
  const to = keyOf(next.email.address);
  const held = previous.names ?? [];
  const Item = toItem(next, version, names);
  const taken = names.filter((name) => !held.includes(name));
  const kept = names.filter((name) => held.includes(name));
  const ofUser: readonly Write[] =
    from === to
      ? [{ item: { Put: { TableName, Item, ...ifVersion(previous.version) } } }]
      : [
          taking(TableName, to, Item, reservations),
          removalOf(TableName, previous),
          ...kept.map((name) => ({ item: { Put: { TableName, Item: toEntry(name, to, version) } } })),
        ];
  const freed = held.filter((name) => !names.includes(name));
  return [...ofUser, ...takingNames(TableName, taken, to, version, reservations), ...freeingNames(TableName, freed)];
};

/** The writes that remove a user. */
export const removal = (TableName: string, previous: StoredUser): readonly Write[] => [
  removalOf(TableName, previous),
  ...freeingNames(TableName, previous.names ?? []),
];
