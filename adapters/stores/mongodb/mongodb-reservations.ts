import type { Collection, Document, Filter } from 'mongodb';
import type { Reservation, Taken } from '../../../application/ports/user-store.ts';
import { isUserName, type UserKey } from '../../../domain/user-name.ts';
import { formerLists, isReserved, reservedValues, reservedValuesOf } from '../../kit/user-json/reserved-record.ts';
import { reservationExpiryMs, reservedFields } from '../stored-format.ts';
import { removed, removedPrefix, type UserRecord } from './user-record.ts';

type Documents = Collection<UserRecord>;

/** Finds reservations of addresses, also those of former versions, and no damaged users. */
export const isReservation: Filter<UserRecord> = {
  password: '',
  $or: [reservedValues, { email: { $in: [...formerLists] } }],
};

/** The server's own time, because the clock of a client may be wrong. */
export const expiry = { $add: ['$$NOW', reservationExpiryMs] };

/** The `email` of the document that reserves a key. That of a name keeps the document out of listings of all versions. */
const emailOf = (key: UserKey): string => (isUserName(key) ? `${removedPrefix}${key}` : key);

/** Finds the document that reserves a key, in a version of one of these reservations. */
export const reservedBy = (key: UserKey, reservations: readonly Reservation[]): Filter<UserRecord> => ({
  email: emailOf(key),
  version: { $in: reservations.filter((reservation) => reservation.key === key).map(({ version }) => version) },
});

/** Finds the document that reserves a key, and no user. */
export const reservationIn = (key: UserKey): Filter<UserRecord> & { readonly email: string } => ({
  email: emailOf(key),
  ...reservedValuesOf(key),
});

/** The update, also of a missing document, to a new version of a reservation. */
export const reserving = ({ key, version }: Reservation, now: number): Document[] => {
  const fields = isUserName(key) ? { ...reservedValues, names: [key] } : reservedFields(key, now);
  // Literally, because a text that begins with a dollar sign would be an expression.
  const values = Object.entries(fields).map(([name, value]) => [name, { $literal: value }] as const);
  return [{ $set: { ...Object.fromEntries(values), _id: { $ifNull: ['$_id', version] }, version, expires: expiry } }];
};

/** That a key is in use by a record, of a user or of a reservation; undefined if it is a known reservation. */
export const takenBy = (
  key: UserKey,
  { version, isReserved }: { readonly version: unknown; readonly isReserved: boolean },
  known: readonly Reservation[],
): Taken | undefined => {
  if (!isReserved || typeof version !== 'string') return { taken: key };
  if (known.some((reservation) => reservation.key === key && reservation.version === version)) return undefined;
  return { taken: key, reservation: { key, version } };
};

/** The first of these keys that a document has, in their order; undefined if all are free or known to be reserved. */
export const takenOf = async (
  documents: Documents,
  keys: readonly UserKey[],
  maxTimeMS: number,
  known: readonly Reservation[],
): Promise<Taken | undefined> => {
  const names = keys.filter(isUserName);
  const addresses = keys.filter((key) => !isUserName(key));
  const filters = [
    ...(addresses.length > 0 ? [{ email: { $in: addresses } }] : []),
    ...(names.length > 0 ? [{ names: { $in: names } }] : []),
  ];
  if (filters.length === 0) return undefined;
  const projection = { _id: 0, email: 1, names: 1, version: 1, password: 1, verificationToken: 1, properties: 1 };
  // What the unique index compared with, which a majority may not have yet.
  const options = { projection, maxTimeMS, readConcern: { level: 'local' } } as const;
  const found = await documents.find<Document>({ $or: filters }, options).toArray();
  for (const key of keys) {
    const holder = found.find(({ email, names: held }) => [isUserName(key) ? held : email].flat().includes(key));
    if (holder === undefined) continue;
    const taken = takenBy(key, { version: holder.version, isReserved: isReserved(holder.email, holder) }, known);
    if (taken !== undefined) return taken;
  }
  return undefined;
};

/** Whether only the events of a user whom a former version removed kept a name, which is free now. */
export const freed = async (
  documents: Documents,
  { taken, reservation }: Taken,
  maxTimeMS: number,
): Promise<boolean> => {
  if (reservation !== undefined || !isUserName(taken)) return false;
  const ofEvents = { names: taken, ...removed, password: { $exists: false } };
  return (await documents.updateOne(ofEvents, { $unset: { names: true } }, { maxTimeMS })).matchedCount === 1;
};

/** The index by which the server deletes reservations. Users have no entries in it, also not with the `expires` of a reservation. */
const byExpiry = { expires: 1 } as const;

/** How often reservations of former versions get an expiry. */
const adoptionIntervalMs = 10 * 60_000;

/** Lets reservations end by themselves. Nothing waits for it, because the first index of many users takes its time. */
export class ReservationExpiry {
  private lastMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly documents: Documents) {}

  /** Creates the index unless it exists, and gives the reservations of former versions an expiry; rarely, and in one step. */
  async prepare(): Promise<void> {
    const now = performance.now();
    if (now < this.lastMs + adoptionIntervalMs) return;
    this.lastMs = now;
    await this.documents.createIndex(byExpiry, { expireAfterSeconds: 0, partialFilterExpression: { password: '' } });
    const ofFormerVersions = { ...isReservation, expires: { $exists: false } };
    await this.documents.updateMany(ofFormerVersions, [{ $set: { expires: expiry } }], { hint: byExpiry });
  }
}
