import type { StoredUser } from '../../../application/ports/user-store.ts';
import type { EmailKey } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import type { UserName } from '../../../domain/user-name.ts';
import { InMemoryUserStore } from '../../../sdk/contract/in-memory-user-store.ts';

/**
 * A store with concurrent writers: after each read the next function of `meanwhile` runs before the reader continues.
 */
export class InterruptedUserStore extends InMemoryUserStore {
  readonly meanwhile: (() => Promise<unknown>)[] = [];
  reads = 0;

  override find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.interrupted(super.find(key));
  }

  override findNamed(name: UserName): Promise<StoredUser | undefined> {
    return this.interrupted(super.findNamed(name));
  }

  /** Reads without an interruption. */
  now(key: EmailKey): Promise<StoredUser | undefined> {
    return super.find(key);
  }

  /** Lets another writer change the user after each of the next `times` reads. */
  interrupt(times: number, key: EmailKey, change: (user: User) => User | 'removed'): void {
    for (let count = 0; count < times; count++) this.meanwhile.push(() => this.change(key, change));
  }

  private async change(key: EmailKey, change: (user: User) => User | 'removed'): Promise<void> {
    const stored = await this.now(key);
    if (stored === undefined) return;
    const next = change(stored.user);
    const { names = [] } = stored;
    await (next === 'removed' ? this.remove(stored) : this.replace(stored, next, { names }));
  }

  private async interrupted(read: Promise<StoredUser | undefined>): Promise<StoredUser | undefined> {
    const stored = await read;
    this.reads++;
    await this.meanwhile.shift()?.();
    return stored;
  }
}
