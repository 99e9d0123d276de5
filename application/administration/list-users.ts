import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { keyOf } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import { isReservation } from '../../domain/reservation.ts';
import type { User } from '../../domain/user.ts';
import { Fault } from '../fault.ts';
import type { AttemptCounter } from '../ports/attempt-counter.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import {
  type FieldCondition,
  type Listing,
  maxPageCharacters,
  type UserListing,
  type UserPage,
} from '../ports/user-listing.ts';
import type { ByAdministrator } from './administrator.ts';

/** A state by which users can be listed. `blocked` is that of too many wrong passwords. */
export type ListedState = 'disabled' | 'password_change_required' | 'blocked';

export interface ListUsers extends ByAdministrator, Omit<Listing, 'conditions'> {
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
  interface Queries {
    readonly ListUsers: OptionalUseCase<ListUsers, ListUsersResult>;
  }
}

/** Users, and the records that cannot be read. */
type Selection = Required<Pick<UserPage, 'users' | 'unreadable'>>;

/** Whether a user is blocked because of wrong passwords, or why the count cannot be read. */
const isBlocked = async ({ email }: User, attempts: AttemptCounter): Promise<boolean | Fault> => {
  try {
    return (await attempts.status({ user: keyOf(email.address), client: undefined })).blockedForMs > 0;
  } catch (error) {
    if (error instanceof Fault && error.record !== undefined) return error;
    throw error;
  }
};

/** The users who are blocked because of wrong passwords. */
const blockedOf = async (users: readonly User[], attempts: AttemptCounter): Promise<Selection> => {
  const blocked: User[] = [];
  const unreadable: Fault[] = [];
  for (let start = 0; start < users.length; start += countsAtOnce) {
    const some = users.slice(start, start + countsAtOnce);
    const found = await Promise.all(some.map((user) => isBlocked(user, attempts)));
    blocked.push(...some.filter((_, index) => found[index] === true));
    unreadable.push(...found.filter((outcome) => outcome instanceof Fault));
  }
  return { users: blocked, unreadable };
};

/** Reads a page of users. */
export class ListUsersHandler {
  constructor(
    /** Undefined if the store can't list its users. */
    private readonly listing: UserListing | undefined,
    private readonly clock: Clock,
    /** Undefined if wrong passwords are not counted. */
    private readonly attempts: AttemptCounter | undefined,
    private readonly log: Log,
  ) {}

  async handle(message: ListUsers): Promise<ListUsersResult> {
    const { listing, attempts } = this;
    const { limit, state } = message;
    if (listing === undefined) return left(failure('users_not_listed'));
    if (state !== 'blocked')
      return right(await this.read(message, listing, async (users) => ({ users, unreadable: [] }), 1));
    if (attempts === undefined) return right({ users: [], next: undefined });
    // Counters have digests in place of addresses, so that the blocked users can only be found among all of them.
    return right(await this.read(message, listing, (users) => blockedOf(users, attempts), limit));
  }

  /** Reads users until `enough` of them are selected, for a bounded time and size. Logs records that cannot be read. */
  private async read(
    message: ListUsers,
    listing: UserListing,
    select: (users: readonly User[]) => Promise<Selection>,
    enough: number,
  ): Promise<UserPage> {
    const { limit, address, after } = message;
    const query = { address, conditions: conditionsOf(message, this.clock.now()) };
    const started = performance.now();
    const users: User[] = [];
    const unreadable: Fault[] = [];
    let characters = 0;
    for (let next = after; ; ) {
      const found = users.length + unreadable.length;
      const page = await listing.list({ ...query, limit: limit - found, after: next });
      next = page.next;
      const selected = await select(page.users.filter((user) => !isReservation(user)));
      users.push(...selected.users);
      unreadable.push(...(page.unreadable ?? []), ...selected.unreadable);
      for (const { properties } of selected.users) characters += properties.length;
      const isFull = users.length + unreadable.length >= enough || characters > maxPageCharacters;
      if (isFull || next === undefined || performance.now() - started > readOnMs) {
        for (const { record, message: reason } of unreadable)
          this.log.warn({ record, reason }, 'a record was not listed');
        return { users, ...(unreadable.length > 0 && { unreadable }), next };
      }
      // Let requests run between two pages of a store that reads on this thread.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
