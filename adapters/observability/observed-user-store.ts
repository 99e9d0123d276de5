import type { Interceptor } from '../../application/interceptor.ts';
import type { QueuedEvent } from '../../application/ports/event-outbox.ts';
import { type Listing, UserListing, type UserPage } from '../../application/ports/user-listing.ts';
import { type StoredUser, type StorePorts, UserStore } from '../../application/ports/user-store.ts';
import type { EmailKey } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';

class ObservedUserStore extends UserStore {
  constructor(
    private readonly store: UserStore,
    private readonly around: Interceptor,
  ) {
    super();
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.around('find', () => this.store.find(key));
  }

  insert(user: User, events?: readonly QueuedEvent[]): Promise<'inserted' | 'taken'> {
    return this.around('insert', () => this.store.insert(user, events));
  }

  replace(previous: StoredUser, next: User, events?: readonly QueuedEvent[]): Promise<'replaced' | 'stale' | 'taken'> {
    return this.around('replace', () => this.store.replace(previous, next, events));
  }

  remove(previous: StoredUser, events?: readonly QueuedEvent[]): Promise<'removed' | 'stale'> {
    return this.around('remove', () => this.store.remove(previous, events));
  }

  check(): Promise<string> {
    return this.around('check', () => this.store.check());
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

class ObservedUserListing extends UserListing {
  constructor(
    private readonly listing: UserListing,
    private readonly around: Interceptor,
  ) {
    super();
  }

  list(listing: Listing): Promise<UserPage> {
    return this.around('list', () => this.listing.list(listing));
  }
}

/** A store of which every call is wrapped, under the name of its method: to be measured or traced. */
export const observedStore = ({ users, listing, ...others }: StorePorts, around: Interceptor): StorePorts => ({
  ...others,
  users: new ObservedUserStore(users, around),
  ...(listing && { listing: new ObservedUserListing(listing, around) }),
});
