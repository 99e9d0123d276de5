import type { Interceptor } from '../../application/interceptor.ts';
import type { EventOutbox, QueuedEvent } from '../../application/ports/event-outbox.ts';
import type { Listing, UserPage } from '../../application/ports/user-listing.ts';
import { type ListingStore, lists, type StoredUser, UserStore } from '../../application/ports/user-store.ts';
import type { EmailKey } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';

class ObservedUserStore extends UserStore {
  /** As the store itself gives them: what is done with events is no call on behalf of a caller. */
  override readonly events?: () => EventOutbox;

  constructor(
    private readonly store: UserStore,
    protected readonly around: Interceptor,
  ) {
    super();
    if (store.events !== undefined) this.events = store.events.bind(store);
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

class ObservedListingStore extends ObservedUserStore {
  constructor(
    private readonly lister: ListingStore,
    around: Interceptor,
  ) {
    super(lister, around);
  }

  override list(listing: Listing): Promise<UserPage> {
    return this.around('list', () => this.lister.list(listing));
  }
}

/** A store of which every call is wrapped, under the name of its method: to be measured or traced. */
export const observedUserStore = (store: UserStore, around: Interceptor): UserStore =>
  lists(store) ? new ObservedListingStore(store, around) : new ObservedUserStore(store, around);
