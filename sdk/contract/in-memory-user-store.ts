import { MemoryUserStore } from '../../adapters/stores/memory/index.ts';
import type { Fault } from '../../application/fault.ts';
import type { QueuedEvent } from '../../application/ports/event-outbox.ts';
import type { Listing, UserFilter, UserPage } from '../../application/ports/user-listing.ts';
import type { OrderedListing, OrderedPosition } from '../../application/ports/user-search.ts';
import type { StoredUser } from '../../application/ports/user-store.ts';
import type { EmailKey } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';

/** A store in memory that behaves like a remote one: it is asynchronous and can be down. */
export class InMemoryUserStore extends MemoryUserStore {
  /** Thrown by every method while it is set. */
  fault: Fault | undefined = undefined;

  override async find(key: EmailKey): Promise<StoredUser | undefined> {
    await this.turn();
    return super.find(key);
  }

  override async insert(user: User, events?: readonly QueuedEvent[]): Promise<StoredUser | 'taken'> {
    await this.turn();
    return super.insert(user, events);
  }

  override async replace(
    previous: StoredUser,
    next: User,
    events?: readonly QueuedEvent[],
  ): Promise<StoredUser | 'stale' | 'taken'> {
    await this.turn();
    return super.replace(previous, next, events);
  }

  override async remove(previous: StoredUser, events?: readonly QueuedEvent[]): Promise<'removed' | 'stale'> {
    await this.turn();
    return super.remove(previous, events);
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
