import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { keyOf } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import { isReservation, type User } from '../../domain/user.ts';
import type { AttemptCounter } from '../ports/attempt-counter.ts';
import type { Clock } from '../ports/clock.ts';
import {
  type FieldCondition,
  type Listing,
  maxPageCharacters,
  type UserListing,
  type UserPage,
} from '../ports/user-listing.ts';

/** A state by which users can be listed. `blocked` is that of too many wrong passwords. */
export type ListedState = 'disabled' | 'password_change_required' | 'blocked';

export interface ListUsers extends Omit<Listing, 'conditions'> {
  readonly type: 'ListUsers';
  /** Undefined lists verified and unverified users. */
  readonly verified: boolean | undefined;
  /** Undefined lists users in every state. */
  readonly state: ListedState | undefined;
}

export type ListUsersResult = Either<Failure<'users_not_listed'>, UserPage>;

const conditionsOf = ({ verified, state }: ListUsers, now: number): readonly FieldCondition[] => {
  const ofVerification: FieldCondition[] =
    verified === undefined ? [] : [{ field: 'verified', test: 'equals', value: verified }];
  if (state === undefined || state === 'blocked') return ofVerification;
  if (state === 'password_change_required') return [...ofVerification, { field: 'changeRequiredTime', test: 'exists' }];
  return [
    ...ofVerification,
    { field: 'disabledTime', test: 'exists' },
    { field: 'disabledUntil', test: 'absentOrAfter', value: now },
  ];
};

/** How long to read on for users who match; after it the caller gets fewer, and continues from there. */
const readOnMs = 250;

/** How many counts of wrong passwords are read at once, so that a list leaves calls to the database for logins. */
const countsAtOnce = 16;

declare module '../bus.ts' {
  interface Administration {
    readonly ListUsers: UseCase<ListUsers, ListUsersResult>;
  }
}

/** The users who are blocked because of wrong passwords. */
const blockedOf = async (users: readonly User[], attempts: AttemptCounter): Promise<readonly User[]> => {
  const blocked: User[] = [];
  for (let start = 0; start < users.length; start += countsAtOnce) {
    const some = users.slice(start, start + countsAtOnce);
    const statuses = await Promise.all(
      some.map(({ email }) => attempts.status({ user: keyOf(email.address), client: undefined })),
    );
    blocked.push(...some.filter((_, index) => (statuses[index]?.blockedForMs ?? 0) > 0));
  }
  return blocked;
};

/** Reads a page of users. */
export class ListUsersHandler {
  constructor(
    /** Undefined if the store can't list its users. */
    private readonly listing: UserListing | undefined,
    private readonly clock: Clock,
    /** Null if wrong passwords are not counted. */
    private readonly attempts: AttemptCounter | null,
  ) {}

  async handle(message: ListUsers): Promise<ListUsersResult> {
    const { listing, attempts } = this;
    const { limit, state } = message;
    if (listing === undefined) return left(failure('users_not_listed'));
    if (state !== 'blocked') return right(await this.read(message, listing, async (users) => users, 1));
    if (attempts === null) return right({ users: [], next: undefined });
    // Counters have digests in place of addresses, so that the blocked users can only be found among all of them.
    return right(await this.read(message, listing, (users) => blockedOf(users, attempts), limit));
  }

  /** Reads users until `enough` of them are selected, for a bounded time and size. */
  private async read(
    message: ListUsers,
    listing: UserListing,
    select: (users: readonly User[]) => Promise<readonly User[]>,
    enough: number,
  ): Promise<UserPage> {
    const { limit, address, after } = message;
    const query = { address, conditions: conditionsOf(message, this.clock.now()) };
    const started = performance.now();
    const users: User[] = [];
    let characters = 0;
    for (let next = after; ; ) {
      const page = await listing.list({ ...query, limit: limit - users.length, after: next });
      next = page.next;
      for (const user of await select(page.users.filter((user) => !isReservation(user)))) {
        users.push(user);
        characters += user.properties.length;
      }
      const isFull = users.length >= enough || characters > maxPageCharacters;
      if (isFull || next === undefined || performance.now() - started > readOnMs) return { users, next };
      // Let requests run between two pages of a store that reads on this thread.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
