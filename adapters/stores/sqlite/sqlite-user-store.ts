import { randomUUID } from 'node:crypto';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import { type StoredUser, UserStore } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { toRow } from './user-table.ts';

const written = ({ user, version }: StoredUser) => ({
  key: keyOf(user.email.address),
  row: [version, ...toRow(user)],
  characters: user.properties.length,
});

/** Users in one SQLite file: read on the main thread, written by another thread. */
export class SqliteUserStore extends UserStore {
  constructor(private readonly connection: SqliteConnection) {
    super();
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.connection.read((reader) => reader.find(key));
  }

  async insert(user: User, events?: readonly QueuedEvent[]): Promise<StoredUser | 'taken'> {
    const stored = { user, version: randomUUID() };
    const outcome = await this.connection.write({ kind: 'insert', ...written(stored), events });
    return outcome === 'done' ? stored : 'taken';
  }

  async replace(
    { user, version }: StoredUser,
    next: User,
    events?: readonly QueuedEvent[],
  ): Promise<StoredUser | 'stale' | 'taken'> {
    const previous = keyOf(user.email.address);
    const stored = { user: next, version: randomUUID() };
    const outcome = await this.connection.write({ kind: 'replace', previous, version, ...written(stored), events });
    if (outcome === 'done') return stored;
    return outcome === 'taken' ? 'taken' : 'stale';
  }

  async remove({ user, version }: StoredUser, events?: readonly QueuedEvent[]): Promise<'removed' | 'stale'> {
    const outcome = await this.connection.write({
      kind: 'remove',
      previous: keyOf(user.email.address),
      version,
      events,
    });
    return outcome === 'done' ? 'removed' : 'stale';
  }

  check(): Promise<string> {
    return this.connection.check();
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
