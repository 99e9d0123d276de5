import { randomUUID } from 'node:crypto';
import type { Fault } from '../../application/fault.ts';
import { type StoredUser, UserStore } from '../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';

/** A store that forgets everything with the process. It keeps the whole contract of the port. */
export class InMemoryUserStore extends UserStore {
  /** While it is set, every method throws it: the store is down. */
  fault: Fault | undefined = undefined;

  private readonly users = new Map<EmailKey, StoredUser>();

  async find(key: EmailKey): Promise<StoredUser | undefined> {
    await this.turn();
    return this.users.get(key);
  }

  async insert(user: User): Promise<'inserted' | 'taken'> {
    await this.turn();
    const key = keyOf(user.email.address);
    if (this.users.has(key)) return 'taken';
    this.put(key, user);
    return 'inserted';
  }

  async replace(previous: StoredUser, next: User): Promise<'replaced' | 'stale' | 'taken'> {
    await this.turn();
    const from = keyOf(previous.user.email.address);
    const to = keyOf(next.email.address);
    if (this.users.get(from)?.version !== previous.version) return 'stale';
    if (to !== from && this.users.has(to)) return 'taken';
    this.users.delete(from);
    this.put(to, next);
    return 'replaced';
  }

  async remove(previous: StoredUser): Promise<'removed' | 'stale'> {
    await this.turn();
    const key = keyOf(previous.user.email.address);
    if (this.users.get(key)?.version !== previous.version) return 'stale';
    this.users.delete(key);
    return 'removed';
  }

  async check(): Promise<string> {
    await this.turn();
    return 'users are kept in memory';
  }

  async close(): Promise<void> {}

  private put(key: EmailKey, user: User): void {
    this.users.set(key, { user, version: randomUUID() });
  }

  /** Lets others go first, as a store behind a network does. */
  private async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.fault !== undefined) throw this.fault;
  }
}
