import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { type Failure, failure } from '../../domain/failure.ts';
import { isReservation } from '../../domain/user.ts';
import type { Clock } from '../ports/clock.ts';
import type { FieldCondition, Listing, UserListing, UserPage } from '../ports/user-listing.ts';

/** A state by which users can be listed. */
export type ListedState = 'disabled' | 'password_change_required';

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
  if (state === undefined) return ofVerification;
  if (state === 'password_change_required') return [...ofVerification, { field: 'changeRequiredTime', test: 'exists' }];
  return [
    ...ofVerification,
    { field: 'disabledTime', test: 'exists' },
    { field: 'disabledUntil', test: 'absentOrAfter', value: now },
  ];
};

/** How long to skip empty pages; after it the caller gets one and continues from there. */
const skipEmptyPagesMs = 250;

declare module '../bus.ts' {
  interface Administration {
    readonly ListUsers: UseCase<ListUsers, ListUsersResult>;
  }
}

/** Reads a page of users. */
export class ListUsersHandler {
  constructor(
    /** Undefined if the store can't list its users. */
    private readonly listing: UserListing | undefined,
    private readonly clock: Clock,
  ) {}

  async handle(message: ListUsers): Promise<ListUsersResult> {
    if (this.listing === undefined) return left(failure('users_not_listed'));
    const { limit, after, address } = message;
    const query = { limit, after, address, conditions: conditionsOf(message, this.clock.now()) };
    const started = performance.now();
    let page = await this.page(this.listing, query);
    while (page.users.length === 0 && page.next !== undefined && performance.now() - started < skipEmptyPagesMs) {
      // Let requests run between two pages of a store that reads on this thread.
      await new Promise((resolve) => setImmediate(resolve));
      page = await this.page(this.listing, { ...query, after: page.next });
    }
    return right(page);
  }

  /** A page without the addresses that are only reserved. */
  private async page(listing: UserListing, query: Listing): Promise<UserPage> {
    const page = await listing.list(query);
    return { ...page, users: page.users.filter((user) => !isReservation(user)) };
  }
}
