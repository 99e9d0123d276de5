import {
  type Reservation,
  type StoredUser,
  type StorePorts,
  type Taken,
  UserStore,
  type WriteOptions,
} from '../../../application/ports/user-store.ts';
import type { EmailKey } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import type { UserKey } from '../../../domain/user-name.ts';

class KeptOpenUserStore extends UserStore {
  constructor(private readonly store: UserStore) {
    super();
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.store.find(key);
  }

  insert(user: User, options?: WriteOptions): Promise<StoredUser | Taken> {
    return this.store.insert(user, options);
  }

  replace(previous: StoredUser, next: User, options?: WriteOptions): Promise<StoredUser | 'stale' | Taken> {
    return this.store.replace(previous, next, options);
  }

  remove(previous: StoredUser, options?: Pick<WriteOptions, 'events'>): Promise<'removed' | 'stale'> {
    return this.store.remove(previous, options);
  }

  reserve(key: UserKey): Promise<Reservation | 'taken'> {
    return this.store.reserve(key);
  }

  check(): Promise<string> {
    return this.store.check();
  }

  async close(): Promise<void> {}
}

/** A store that several services share: it stays open when one of them closes it. */
export const keepOpen = (store: StorePorts): StorePorts => ({ ...store, users: new KeptOpenUserStore(store.users) });
