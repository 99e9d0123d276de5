import { randomUUID } from 'node:crypto';
import {
  asStored,
  isTaken,
  type Reservation,
  type StoredUser,
  type Taken,
  UserStore,
  type WriteOptions,
} from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import type { UserKey, UserName } from '../../../domain/user-name.ts';
import { systemClock } from '../../system-clock.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { type EntryChanges, toRow } from './sqlite-user-table.ts';

const written = ({ user, version, names }: StoredUser) => ({
  key: keyOf(user.email.address),
  row: [version, ...toRow(user, names)],
  characters: user.properties.length,
});

const entriesOf = (
  held: readonly UserName[],
  freed: readonly UserName[],
  { reservations = [] }: WriteOptions,
): EntryChanges | undefined =>
  held.length + freed.length + reservations.length === 0 ? undefined : { held, freed, reservations };

/** Users in one SQLite file: read on the main thread, written by another thread. */
export class SqliteUserStore extends UserStore {
  constructor(
    private readonly connection: SqliteConnection,
    private readonly clock = systemClock,
  ) {
    super();
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.connection.find(key);
  }

  async insert(user: User, options: WriteOptions = {}): Promise<StoredUser | Taken> {
    const next = asStored(user, randomUUID(), options.names);
    const entries = entriesOf(options.names ?? [], [], options);
    const outcome = await this.connection.write({ kind: 'insert', ...written(next), entries, events: options.events });
    return isTaken(outcome) ? outcome : next;
  }

  async replace(
    { user, version, names: before = [] }: StoredUser,
    changed: User,
    options: WriteOptions = {},
  ): Promise<StoredUser | 'stale' | Taken> {
    const next = asStored(changed, randomUUID(), options.names);
    const row = written(next);
    const previous = keyOf(user.email.address);
    const { names = [], events } = options;
    const held = row.key === previous ? names.filter((name) => !before.includes(name)) : names;
    const entries = entriesOf(
      held,
      before.filter((name) => !names.includes(name)),
      options,
    );
    const outcome = await this.connection.write({ kind: 'replace', previous, version, ...row, entries, events });
    if (outcome === 'done') return next;
    return isTaken(outcome) ? outcome : 'stale';
  }

  async remove(
    { user, version, names = [] }: StoredUser,
    { events }: Pick<WriteOptions, 'events'> = {},
  ): Promise<'removed' | 'stale'> {
    const outcome = await this.connection.write({
      kind: 'remove',
      previous: keyOf(user.email.address),
      version,
      entries: entriesOf([], names, {}),
      events,
    });
    return outcome === 'done' ? 'removed' : 'stale';
  }

  async reserve(key: UserKey): Promise<Reservation | 'taken'> {
    const reservation = { key, version: randomUUID() };
    const outcome = await this.connection.write({ kind: 'reserve', ...reservation, now: this.clock.now() });
    return isTaken(outcome) ? 'taken' : reservation;
  }

  check(): Promise<string> {
    return this.connection.check();
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
