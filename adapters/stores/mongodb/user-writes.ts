import { randomUUID } from 'node:crypto';
import { Fault } from '../../../application/fault.ts';
import { isTaken, type Reservation, type StoredUser, type Taken } from '../../../application/ports/user-store.ts';
import { randomDelay } from '../../../application/writing/random-delay.ts';
import { keyOf } from '../../../domain/email-address.ts';
import { isUserName, type UserKey } from '../../../domain/user-name.ts';
import { isDuplicateKey } from './errors.ts';
import { ReservationExpiry, reservationIn, reservedBy, reserving, takenOf } from './reservations.ts';
import { isAborted, SeparateNames } from './separate-names.ts';
import type { UserCollection } from './user-collection.ts';
import { indexHint } from './user-indexes.ts';
import { type Commands, commandsIn } from './write-commands.ts';

/** Attempts of a write whose keys other writers take and free. */
const maxAttempts = 6;
const retryDelayMs = 5;

/** A user before and after a write; undefined if there is none. */
interface Change {
  readonly previous?: StoredUser;
  readonly next?: StoredUser;
}

/** What a write needs: the `email` of its document, and the keys that it takes. */
interface Target extends Change {
  readonly email: string;
  readonly keys: readonly UserKey[];
}

const targetOf = (change: Change): Target => {
  const { previous, next } = change;
  const [from, to] = [previous, next].map((stored) => stored && keyOf(stored.user.email.address));
  const held: readonly UserKey[] = [...(from === undefined ? [] : [from]), ...(previous?.names ?? [])];
  const wanted: readonly UserKey[] = [...(to === undefined ? [] : [to]), ...(next?.names ?? [])];
  return { ...change, email: from ?? to ?? '', keys: wanted.filter((key) => !held.includes(key)) };
};

/** Runs writes of users that unique indexes may refuse. */
export class UserWrites {
  readonly separateNames: SeparateNames;
  readonly expiry: ReservationExpiry;

  constructor(private readonly users: UserCollection) {
    this.separateNames = new SeparateNames(users);
    this.expiry = new ReservationExpiry(users.documents);
  }

  /**
   * Writes a user, unless another one has its keys. Of the reservations that it needs, `write` gets one whose document
   * a new user can take the place of. The others end before, and are restored unless the user is written.
   */
  async write<Outcome extends StoredUser | string>(
    change: Change,
    reservations: readonly Reservation[],
    write: (commands: Commands, over: Reservation | undefined) => Promise<Outcome>,
  ): Promise<Outcome | Taken> {
    const target = targetOf(change);
    const needed = reservations.filter(({ key }) => target.keys.includes(key));
    if (needed.length === 0) return this.unlessTaken(target, (commands) => write(commands, undefined));
    const isSeparate = await this.users.callWithIndex(() => this.areSeparate(target));
    const over = needed.find(({ key }) => change.previous === undefined && !(isSeparate && isUserName(key)));
    const released = needed.filter((reservation) => reservation !== over);
    let isWritten = false;
    try {
      for (const reservation of released) await this.release(reservation, isSeparate);
      const outcome = await this.unlessTaken(target, (commands) => write(commands, over));
      isWritten = typeof outcome === 'object' && !isTaken(outcome);
      return outcome;
    } finally {
      // Also after a Fault, because the reservation still has to keep out an earlier write.
      if (!isWritten) for (const { key } of released) await this.reserve(key);
    }
  }

  /** Reserves a key, or renews its reservation, unless a user has it. */
  async reserve(key: UserKey): Promise<Reservation | 'taken'> {
    this.expiry.prepare().catch(() => undefined);
    const reservation = { key, version: randomUUID() };
    const filter = reservationIn(key);
    const target = { email: filter.email, keys: [key] };
    const isSeparate = await this.users.callWithIndex(() => this.areSeparate(target));
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const written = isSeparate
        ? await this.users.call(() => this.separateNames.reserve(reservation))
        : await this.unlessTaken(target, async ({ update }) => {
            await update(filter, reserving(reservation), { upsert: true });
            return reservation;
          });
      if (!isTaken(written)) return written;
      // One of another call at the same time is renewed by the next attempt.
      if (written.reservation === undefined) return 'taken';
    }
    throw new Fault('store_unavailable', 'other calls kept reserving a key');
  }

  private async release(reservation: Reservation, isSeparate: boolean): Promise<void> {
    await this.users.callWithIndex(async () => {
      if (isSeparate && isUserName(reservation.key)) await this.separateNames.release(reservation);
      else await this.users.documents.deleteOne(reservedBy(reservation), { ...this.options, ...indexHint });
    });
  }

  private unlessTaken<Outcome>(
    target: Target,
    write: (commands: Commands) => Promise<Outcome>,
  ): Promise<Outcome | Taken> {
    const written = this.users.callWithIndex(async () => {
      const isSeparate = await this.areSeparate(target);
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        if (attempt > 0) await randomDelay(retryDelayMs * 2 ** attempt);
        const outcome = await this.attempt(target, isSeparate, write);
        if (outcome !== 'taken') return outcome;
        const taken = await this.takenOf(target.keys, isSeparate);
        if (taken !== undefined) return taken;
      }
      throw new Fault('store_unavailable', 'other writers kept taking and freeing the keys of a user');
    });
    return this.naming(target.email, written);
  }

  /**
   * Runs a write once. If a connection broke meanwhile and its keys are taken, an earlier attempt of the driver may still
   * arrive, and would be applied once they are free. The server refuses it after another write of the session, whose
   * transaction number is higher.
   */
  private async attempt<Outcome>(
    target: Target,
    isSeparate: boolean,
    write: (commands: Commands) => Promise<Outcome>,
  ): Promise<Outcome | 'taken'> {
    const { connection, documents } = this.users;
    const { breaks } = connection;
    const session = connection.startSession();
    const commands = commandsIn(this.users, session, !isSeparate && target.keys.some(isUserName));
    try {
      if (isSeparate) return await this.separateNames.withNames(session, target, () => write(commands));
      return await write(commands);
    } catch (error) {
      if (isSeparate ? !isDuplicateKey(error) && !isAborted(error) : !isDuplicateKey(error)) throw error;
      // Changes nothing: no version is empty. With the same address, because a cluster numbers writes in each shard.
      if (connection.breaks !== breaks && !isSeparate)
        await documents.updateOne(
          { email: target.email, version: '' },
          { $set: { version: '' } },
          { ...this.options, ...indexHint, session },
        );
      return 'taken';
    } finally {
      // Ends a transaction as well.
      await session.endSession();
    }
  }

  private async takenOf(keys: readonly UserKey[], isSeparate: boolean): Promise<Taken | undefined> {
    const { documents, timeoutMs } = this.users;
    if (!isSeparate) return takenOf(documents, keys, timeoutMs);
    const addresses = keys.filter((key) => !isUserName(key));
    return (await takenOf(documents, addresses, timeoutMs)) ?? this.separateNames.takenOf(keys.filter(isUserName));
  }

  /** Whether a write needs the collection of names. */
  private async areSeparate({ keys, previous, next }: Target): Promise<boolean> {
    const withNames = keys.some(isUserName) || [previous, next].some((stored) => stored?.names !== undefined);
    return withNames && this.users.indexes.namesAreSeparate.get();
  }

  /** Names the document if the server refused a write because another program has damaged its list of events. */
  private async naming<Outcome>(email: string, written: Promise<Outcome>): Promise<Outcome> {
    try {
      return await written;
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'store_rejected') throw error;
      const damaged = { email, events: { $exists: true, $not: { $type: 'array' } } } as const;
      const found = await this.users.documents.findOne(damaged, { projection: { _id: 1 } }).catch(() => null);
      if (found === null) throw error;
      throw new Fault('store_rejected', 'a stored user has no readable events', { record: email });
    }
  }

  private get options() {
    return { maxTimeMS: this.users.timeoutMs };
  }
}
