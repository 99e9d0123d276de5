import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import { type StoredUser, type StorePorts, UserStore } from '../../../application/ports/user-store.ts';
import type { EmailKey } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';

class KeptOpenUserStore extends UserStore {
  constructor(private readonly store: UserStore) {
    super();
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.store.find(key);
  }

  insert(user: User, events?: readonly QueuedEvent[]): Promise<StoredUser | 'taken'> {
    return this.store.insert(user, events);
  }

  replace(previous: StoredUser, next: User, events?: readonly QueuedEvent[]): Promise<StoredUser | 'stale' | 'taken'> {
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

/** A store that several services share: it stays open when one of them closes it. */
export const keepOpen = (store: StorePorts): StorePorts => ({ ...store, users: new KeptOpenUserStore(store.users) });
