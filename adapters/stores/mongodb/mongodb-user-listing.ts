import { BSON, type Filter, MaxKey, MinKey } from 'mongodb';
import type { Fault } from '../../../application/fault.ts';
import {
  type FieldCondition,
  keyRange,
  type Listing,
  maxExaminedUsers,
  pageOf,
  positionAfter,
  UserListing,
  type UserPage,
} from '../../../application/ports/user-listing.ts';
import { listedUser, unreadableUser } from '../../kit/stored-user.ts';
import { indexHint, type UserCollection } from './user-collection.ts';
import { readFields, removed, toStoredUser, type UserRecord } from './user-record.ts';

const filterOf = (condition: FieldCondition): Filter<UserRecord> => {
  const { field } = condition;
  if (condition.test === 'equals') return { [field]: condition.value };
  // A field without a value is null, or absent in documents of former versions; null matches both.
  if (condition.test === 'exists') return { [field]: { $ne: null } };
  return { $or: [{ [field]: null }, { [field]: { $gt: condition.value } }] };
};

/** Sorts by characters, regardless of the collation of the collection. */
const byCharacters = { locale: 'simple' } as const;

/** The parts of the index before and after all texts. */
const outsideOfTexts = [
  { min: { email: new MinKey() }, max: { email: '' } },
  { min: { email: {} }, max: { email: new MaxKey() } },
];

/** Sorts before every key. */
const beforeKeys = '\u0001';

/** Decodes each document alone: the driver would reject all of them for one text with bytes that are no UTF-8. */
const toListedUser = (bytes: Uint8Array): ReturnType<typeof listedUser> => {
  try {
    const document = BSON.deserialize(bytes);
    return listedUser(positionAfter(document.email), () => toStoredUser(document, document.email));
  } catch (error) {
    if (!(error instanceof BSON.BSONError)) throw error;
    const key = String(BSON.deserialize(bytes, { validation: { utf8: false } }).email);
    return [positionAfter(key), unreadableUser(['text'], key)];
  }
};

/** Lists users in the order of the index on their keys. */
export class MongodbUserListing extends UserListing {
  constructor(private readonly users: UserCollection) {
    super();
  }

  list(listing: Listing): Promise<UserPage> {
    return this.users.callWithIndex(() => this.users.primary.read(() => this.page(listing)));
  }

  private async page(listing: Listing): Promise<UserPage> {
    const { documents, timeoutMs } = this.users;
    const { from, to, except } = keyRange(listing);
    const { limit, conditions } = listing;
    const options = { ...indexHint, maxTimeMS: timeoutMs, collation: byCharacters, sort: indexHint.hint };
    const keys = { $gte: from, $lt: to, $ne: except };
    // The last document that one page may examine. Only the index is read for it.
    const lastExamined = { skip: maxExaminedUsers - 1, projection: { _id: 0, email: 1 } };
    const last =
      conditions.length === 0 ? null : await documents.findOne({ email: keys }, { ...options, ...lastExamined });
    const examined = last === null ? keys : { $gte: from, $lte: last.email, $ne: except };
    const filter = { $and: [{ email: examined, $nor: [removed] }, ...conditions.map(filterOf)] };
    const found = await documents
      .find<Uint8Array>(filter, { ...options, limit: limit + 1, projection: { ...readFields, email: 1 }, raw: true })
      .toArray();
    const isStart = listing.after === undefined && listing.address === '' && conditions.length === 0;
    const first = isStart ? await this.withoutKeys(limit) : [];
    return pageOf([...first, ...found.map(toListedUser)], limit, last?.email);
  }

  /** Damaged documents whose `email` is no text, which are in no range of keys. They are reported with the first page. */
  private async withoutKeys(limit: number): Promise<readonly (readonly [string, Fault])[]> {
    const { documents, timeoutMs } = this.users;
    const options = { ...indexHint, maxTimeMS: timeoutMs, limit, projection: { _id: 1 } };
    const ranges = await Promise.all(
      outsideOfTexts.map((range) => documents.find({}, { ...options, ...range }).toArray()),
    );
    return ranges.flat().map(({ _id }) => [beforeKeys, unreadableUser(['email'], String(_id))]);
  }
}
