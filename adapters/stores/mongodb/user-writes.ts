import { randomUUID } from 'node:crypto';
import type { Filter } from 'mongodb';
import { Fault } from '../../../application/fault.ts';
import { randomDelay } from '../../../application/interceptor.ts';
import { isTaken, type Reservation, type StoredUser, type Taken } from '../../../application/ports/user-store.ts';
import { keyOf } from '../../../domain/email-address.ts';
import { isUserName, type UserKey } from '../../../domain/user-name.ts';
import { isDuplicateKey } from './errors.ts';
import { freed, ReservationExpiry, reservationIn, reservedBy, reserving, takenOf } from './mongodb-reservations.ts';
import { isAborted, SeparateNames } from './separate-names.ts';
import type { UserCollection } from './user-collection.ts';
import { indexHint } from './user-indexes.ts';
import type { UserRecord } from './user-record.ts';
import { type Commands, commandsIn, namingDamaged } from './write-commands.ts';

/** Attempts of a write whose keys other writers take and free. */
const maxAttempts = 6;
const retryDelayMs = 5;

/** A user before and after a write; undefined if there is none. */
interface Change {
  readonly previous?: StoredUser;
  readonly next?: StoredUser;
}

/** What a write needs: the `email` of its document, the keys that it takes, and the reservations that it replaces. */
interface Target extends Change {
  readonly email: string;
  readonly keys: readonly UserKey[];
  readonly known?: readonly Reservation[];
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
   * Writes a user, unless another one has its keys. Of the known reservations of these keys, `write` gets the document of
   * one, of which a new user can take the place. The others end before, and are restored unless the user is written.
   */
  async write<Outcome extends StoredUser | string>(
    change: Change,
    reservations: readonly Reservation[],
    write: (commands: Commands, over: Filter<UserRecord> | undefined) => Promise<Outcome>,
  ): Promise<Outcome | Taken> {
    const target = targetOf(change);
    const known = reservations.filter(({ key }) => target.keys.includes(key));
    if (known.length === 0) return this.unlessTaken(target, (commands) => write(commands, undefined));
    const isSeparate = await this.users.callWithIndex(() => this.areSeparate(target));
    const isReplaced = ({ key }: Reservation) => change.previous === undefined && !(isSeparate && isUserName(key));
    const over = known.find(isReplaced)?.key;
    const filter = over && reservedBy(over, known);
    const released: Reservation[] = [];
    let isWritten = false;
    try {
      for (const reservation of known)
        if (reservation.key !== over && (await this.release(reservation, isSeparate))) released.push(reservation);
      const outcome = await this.unlessTaken({ ...target, known }, (commands) => write(commands, filter));
      isWritten = typeof outcome === 'object' && !isTaken(outcome);
      return outcome;
    } finally {
      // Also after a Fault, because the reservation still has to keep out an earlier write.
      if (!isWritten)
        for (const reservation of released) await this.renew(reservation, isSeparate, reservation.version);
    }
  }

  /** Reserves a key, or renews its reservation, unless a user has it. */
  async reserve(key: UserKey): Promise<Reservation | 'taken'> {
    const reservation = { key, version: randomUUID() };
    const isSeparate = await this.users.callWithIndex(() => this.areSeparate({ keys: [key] }));
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const renewed = await this.renew(reservation, isSeparate);
      if (!isTaken(renewed)) {
        this.expiry.prepare().catch(() => undefined);
        return renewed;
      }
      // A reservation of another call at the same time is renewed by the next attempt.
      if (renewed.reservation === undefined) return 'taken';
    }
    throw new Fault('store_unavailable', 'other calls kept reserving a key');
  }

  /** Reserves a key unless it is taken, or renews its reservation, in this version of it if there is one. */
  private renew(reservation: Reservation, isSeparate: boolean, former?: string): Promise<Reservation | Taken> {
    const { key } = reservation;
    const { separateNames, users } = this;
    if (isSeparate && isUserName(key))
      return users.call(async () => {
        if (await separateNames.reserve(reservation, former)) return reservation;
        return (await separateNames.takenOf([key], [])) ?? { taken: key, reservation };
      });
    const filter = { ...reservationIn(key), ...(former !== undefined && { version: former }) };
    return this.unlessTaken({ email: filter.email, keys: [key] }, async ({ update }) => {
      await update(filter, reserving(reservation, users.clock.now()), { upsert: true });
      return reservation;
    });
  }

  private release(reservation: Reservation, isSeparate: boolean): Promise<boolean> {
    const { key } = reservation;
    return this.users.callWithIndex(async () => {
      if (isSeparate && isUserName(key)) return this.separateNames.release(reservation);
      const options = { ...this.options, ...indexHint };
      return (await this.users.documents.deleteOne(reservedBy(key, [reservation]), options)).deletedCount === 1;
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
        const taken = await this.takenOf(target, isSeparate);
        if (taken !== undefined) return taken;
      }
      throw new Fault('store_unavailable', 'other writers kept taking and freeing the keys of a user');
    });
    return namingDamaged(this.users, target.email, written);
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
      if (!isDuplicateKey(error) && !(isSeparate && isAborted(error))) throw error;
      // Changes nothing: no version is empty. With the same address, because a cluster numbers writes in each shard.
      if (connection.breaks !== breaks && !isSeparate)
        await documents.updateOne(
          { email: target.email, version: '' },
          { $set: { version: '' } },
          { ...this.options, ...indexHint, session },
        );
      return 'taken';
    } finally {
      // Also ends a transaction.
      await session.endSession();
    }
  }

  private async takenOf({ keys, known = [] }: Target, isSeparate: boolean): Promise<Taken | undefined> {
    const { documents, timeoutMs } = this.users;
    if (!isSeparate) {
      const taken = await takenOf(documents, keys, timeoutMs, known);
      return taken !== undefined && (await freed(documents, taken, timeoutMs)) ? undefined : taken;
    }
    const addresses = keys.filter((key) => !isUserName(key));
    const taken = await takenOf(documents, addresses, timeoutMs, known);
    return taken ?? this.separateNames.takenOf(keys.filter(isUserName), known);
  }

  /** Whether a write changes names, or the address of a user who has some, in a collection of their own. */
  private async areSeparate({ keys, previous, next }: Omit<Target, 'email'>): Promise<boolean> {
    const before = previous?.names?.length ?? 0;
    const isMove = before > 0 && keys.length > 0;
    const isChange = keys.some(isUserName) || isMove || before !== (next?.names?.length ?? 0);
    return isChange && this.users.indexes.namesAreSeparate.get();
  }

  private get options() {
    return { maxTimeMS: this.users.timeoutMs };
  }
}
