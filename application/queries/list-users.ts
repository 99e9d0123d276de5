import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { type Failure, failure } from '../../domain/failure.ts';
import { isReservation } from '../../domain/user.ts';
import type { Listing, UserListing, UserPage } from '../ports/user-listing.ts';

export interface ListUsers extends Listing {
  readonly type: 'ListUsers';
}

export type ListUsersResult = Either<Failure<'users_not_listed'>, UserPage>;

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
  ) {}

  async handle({ type: _, ...query }: ListUsers): Promise<ListUsersResult> {
    if (this.listing === undefined) return left(failure('users_not_listed'));
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
