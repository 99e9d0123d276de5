import { MemoryUserStore } from '../../adapters/stores/memory/index.ts';
import type { Fault } from '../../application/fault.ts';
import type { Listing, UserFilter, UserPage } from '../../application/ports/user-listing.ts';
import type { OrderedListing, OrderedPosition } from '../../application/ports/user-search.ts';
import type { Reservation, StoredUser, Taken, WriteOptions } from '../../application/ports/user-store.ts';
import type { EmailKey } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import type { UserKey, UserName } from '../../domain/user-name.ts';

/** A store in memory that behaves like a remote one: it is asynchronous and can be down. */
export class InMemoryUserStore extends MemoryUserStore {
  /** Thrown by every method while it is set. */
  fault: Fault | undefined = undefined;

  override async find(key: EmailKey): Promise<StoredUser | undefined> {
    await this.turn();
    return super.find(key);
  }

  override async findNamed(name: UserName): Promise<StoredUser | undefined> {
    await this.turn();
    return super.findNamed(name);
  }

  override async insert(user: User, options?: WriteOptions): Promise<StoredUser | Taken> {
    await this.turn();
    return super.insert(user, options);
  }

  override async replace(
    previous: StoredUser,
    next: User,
    options?: WriteOptions,
  ): Promise<StoredUser | 'stale' | Taken> {
    await this.turn();
    return super.replace(previous, next, options);
  }

  override async remove(previous: StoredUser, options?: Pick<WriteOptions, 'events'>): Promise<'removed' | 'stale'> {
    await this.turn();
    return super.remove(previous, options);
  }

  override async reserve(key: UserKey): Promise<Reservation | 'taken'> {
    await this.turn();
    return super.reserve(key);
  }

  override async list(listing: Listing): Promise<UserPage> {
    await this.turn();
    return super.list(listing);
  }

  override async sorted(listing: OrderedListing): Promise<UserPage<OrderedPosition>> {
    await this.turn();
    return super.sorted(listing);
  }

  override async count(filter: Omit<UserFilter, 'property'>, most: number): Promise<number> {
    await this.turn();
    return super.count(filter, most);
  }

  override async check(): Promise<string> {
    await this.turn();
    return super.check();
  }

  override async close(): Promise<void> {}

  /** Lets other callers run first, as a remote store does. */
  private async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.fault !== undefined) throw this.fault;
  }
}
