import type { AttemptCounter, AttemptLimits } from '../../../application/ports/attempt-counter.ts';
import type { EventOutbox, QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { Listing, UserPage } from '../../../application/ports/user-listing.ts';
import { type ListingStore, lists, type StoredUser, UserStore } from '../../../application/ports/user-store.ts';
import type { EmailKey } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';

class LentStore extends UserStore {
  /** Only where the store keeps events. */
  override readonly events?: () => EventOutbox;
  /** Only where the store counts failed attempts. */
  override readonly failedAttempts?: (limits: AttemptLimits) => Promise<AttemptCounter>;

  constructor(private readonly store: UserStore) {
    super();
    if (store.events !== undefined) this.events = store.events.bind(store);
    if (store.failedAttempts !== undefined) this.failedAttempts = store.failedAttempts.bind(store);
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.store.find(key);
  }

  insert(user: User, events?: readonly QueuedEvent[]): Promise<'inserted' | 'taken'> {
    return this.store.insert(user, events);
  }

  replace(previous: StoredUser, next: User, events?: readonly QueuedEvent[]): Promise<'replaced' | 'stale' | 'taken'> {
    return this.store.replace(previous, next, events);
  }

  remove(previous: StoredUser, events?: readonly QueuedEvent[]): Promise<'removed' | 'stale'> {
    return this.store.remove(previous, events);
  }

  check(): Promise<string> {
    return this.store.check();
  }

  async close(): Promise<void> {}
}

class LentListingStore extends LentStore {
  constructor(private readonly lister: ListingStore) {
    super(lister);
  }

  override list(listing: Listing): Promise<UserPage> {
    return this.lister.list(listing);
  }
}

/** A store that several services use at once: it stays open when one of them closes it. */
export const lent = (store: UserStore): UserStore =>
  lists(store) ? new LentListingStore(store) : new LentStore(store);
