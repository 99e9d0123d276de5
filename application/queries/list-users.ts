import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { type Failure, failure } from '../../domain/failure.ts';
import type { Listing, UserListing, UserPage } from '../ports/user-listing.ts';
import type { UseCase } from '../use-case.ts';

export interface ListUsers extends Listing {
  readonly type: 'ListUsers';
}

export type ListUsersCase = UseCase<ListUsers, Either<Failure, UserPage>>;

/** For how long pages without anybody on them are passed over, in milliseconds: the caller goes on from there. */
const patience = 250;

/** Reads a page of users. Left: `users_not_listed` where the store can't. */
export class ListUsersHandler {
  constructor(private readonly listing: UserListing | undefined) {}

  async handle({ type: _, ...listing }: ListUsers): Promise<Either<Failure, UserPage>> {
    const { listing: users } = this;
    if (users === undefined) return left(failure('users_not_listed'));
    const started = performance.now();
    let page = await users.list(listing);
    while (page.users.length === 0 && page.next !== undefined && performance.now() - started < patience) {
      // Requests take their turn between two looks of a store that looks on this thread.
      await new Promise((resolve) => setImmediate(resolve));
      page = await users.list({ ...listing, after: page.next });
    }
    return right(page);
  }
}
