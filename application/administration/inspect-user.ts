import { type Either, isLeft, isRight, right } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import { nameOfProperty, type UniqueProperty, type UserKey } from '../../domain/user-name.ts';
import { forgetFailures } from '../passwords/attempt-counting.ts';
import type { AttemptCounter, AttemptCounters, AttemptStatus } from '../ports/attempt-counter.ts';
import type { PropertyValue } from '../ports/user-listing.ts';
import { keysOf, type StoredUser } from '../ports/user-store.ts';
import { anyCaller } from '../writing/authorization.ts';
import type { SettlingStore } from '../writing/settling-store.ts';
import type { AboutUser } from './administrator.ts';

export interface InspectUser extends AboutUser {
  readonly type: 'InspectUser';
}

export interface GetAttempts extends AboutUser {
  readonly type: 'GetAttempts';
}

export interface UnblockUser extends AboutUser {
  readonly type: 'UnblockUser';
}

export type FoundUserResult = Either<Failure<'user_not_found'>, StoredUser>;

export interface CountedAttempts {
  readonly passwords: AttemptStatus;
  /** Of the tokens of a recovery; null if they are not counted. */
  readonly tokens: AttemptStatus | null;
  /** Of the codes that verify the address; null if they are not counted. */
  readonly codes: AttemptStatus | null;
  readonly user: User;
}

export type GetAttemptsResult = Either<Failure<'user_not_found'>, CountedAttempts>;

declare module '../bus.ts' {
  interface Queries {
    readonly InspectUser: OptionalUseCase<InspectUser, FoundUserResult>;
    readonly GetAttempts: OptionalUseCase<GetAttempts, GetAttemptsResult>;
  }
  interface Commands {
    readonly UnblockUser: OptionalUseCase<UnblockUser, FoundUserResult>;
  }
}

/** Reads a user for an administrator. */
export class InspectUserHandler {
  /** As the message with which users read themselves. */
  readonly label = 'GetUser';

  constructor(private readonly users: Pick<SettlingStore, 'find'>) {}

  async handle({ key }: InspectUser): Promise<FoundUserResult> {
    return anyCaller(await this.users.find(key));
  }
}

/** Finds the user who has the value of a unique property; undefined without one. */
export type HolderOf = (property: PropertyValue) => Promise<User | undefined>;

/** Finds users by these properties. */
export const holderFinder =
  (users: Pick<SettlingStore, 'find'>, unique: readonly UniqueProperty[]): HolderOf =>
  async ({ name, value }) => {
    const property = unique.find((one) => one.name === name);
    const key = property && nameOfProperty(property, value);
    return key && (await users.find(key))?.user;
  };

/** The most failures that are counted under one of these keys, with the longest block. */
const highestOf = async (
  attempts: AttemptCounter | undefined,
  keys: readonly UserKey[],
): Promise<AttemptStatus | undefined> => {
  if (attempts === undefined) return undefined;
  const counted = await Promise.all(keys.map((user) => attempts.status({ user, client: undefined })));
  return {
    failures: Math.max(...counted.map(({ failures }) => failures)),
    blockedForMs: Math.max(...counted.map(({ blockedForMs }) => blockedForMs)),
  };
};

/** Reads how many wrong passwords and tokens are counted for a user, and how long they block it. */
export class GetAttemptsHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly counters: AttemptCounters,
  ) {}

  async handle({ key }: GetAttempts): Promise<GetAttemptsResult> {
    const found = await anyCaller(await this.users.find(key));
    if (isLeft(found)) return found;
    const keys = keysOf(found.right);
    const [passwords = { blockedForMs: 0, failures: 0 }, tokens = null, codes = null] = await Promise.all(
      [this.counters.passwords, this.counters.tokens, this.counters.codes].map((attempts) => highestOf(attempts, keys)),
    );
    return right({ passwords, tokens, codes, user: found.right.user });
  }
}

/** Forgets the failures that were counted for a user, which ends every block. Client addresses stay blocked. */
export class UnblockUserHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly counters: AttemptCounters,
  ) {}

  async handle({ key }: UnblockUser): Promise<FoundUserResult> {
    const found = await anyCaller(await this.users.find(key));
    if (isRight(found)) await forgetFailures(this.counters, found.right);
    return found;
  }
}
