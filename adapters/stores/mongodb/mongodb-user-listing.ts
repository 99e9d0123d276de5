import { type Filter, type FindOptions, MaxKey, MinKey } from 'mongodb';
import type { Fault } from '../../../application/fault.ts';
import {
  keyRange,
  type Listing,
  maxExaminedUsers,
  pageOf,
  UserListing,
  type UserPage,
} from '../../../application/ports/user-listing.ts';
import { unreadableUser } from '../../kit/user-json/stored-user.ts';
import { byCharacters, decode, filtersOf, isList, toListedUser } from './listed-records.ts';
import { isReservation } from './mongodb-reservations.ts';
import type { UserCollection } from './user-collection.ts';
import { indexHint } from './user-indexes.ts';
import { readFields, removed, type UserRecord } from './user-record.ts';

/** The parts of the index before and after all texts. */
const outsideOfTexts = [
  { min: { email: new MinKey() }, max: { email: '' } },
  { min: { email: {} }, max: { email: new MaxKey() } },
];

/** How many documents a page may examine: many if only the index is read for it, fewer if large texts are. */
const maxExamined = ({ addressContains, property }: Listing): number => {
  if (property !== undefined) return 2_000;
  return addressContains === '' ? maxExaminedUsers : 10_000;
};

/** Sorts before every key. */
const beforeKeys = '\u0001';

const isOnPage = (key: string, from: string, next: string | undefined): boolean =>
  key >= from && (next === undefined || key <= next);

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
    const { limit } = listing;
    const filters = filtersOf(listing);
    const options = { ...indexHint, maxTimeMS: timeoutMs, collation: byCharacters, sort: indexHint.hint };
    const keys = { $gte: from, $lt: to, $ne: except };
    // The last document that one page may examine. Only the index is read for it.
    const lastExamined = { skip: maxExamined(listing) - 1, projection: { _id: 0, email: 1 } };
    const last = filters.length === 0 ? null : await this.last({ email: keys }, { ...options, ...lastExamined });
    const examined = last === null ? keys : { $gte: from, $lte: last.email, $ne: except };
    const filter = { $and: [{ email: examined, $nor: [removed, isReservation] }, ...filters] };
    const page = { ...options, limit: limit + 1, projection: readFields, raw: true } as const;
    const find = async (query: Filter<UserRecord>) =>
      (await documents.find<Uint8Array>(query, page).toArray()).map(decode);
    const all = await find(filter);
    const lists = all.flatMap(({ document: { email } }) => (Array.isArray(email) ? [email] : []));
    const found = lists.length === 0 ? all : await find({ ...filter, $nor: [isList] });
    const isStart = listing.after === undefined && listing.address === '' && filters.length === 0;
    const first = isStart ? await this.withoutKeys(limit) : [];
    const users = pageOf([...first, ...found.map(toListedUser)], limit, last?.email);
    // Each on the page of its first text. They do not end a page, because they have no place after which another begins.
    const { next } = users;
    const unreadable = lists
      .filter((texts) => isOnPage(texts.map(String).sort()[0] ?? '', from, next))
      .map((texts) => unreadableUser(['email'], String(texts)));
    return unreadable.length === 0 ? users : { ...users, unreadable: [...(users.unreadable ?? []), ...unreadable] };
  }

  private async last(filter: Filter<UserRecord>, options: FindOptions) {
    const { documents } = this.users;
    const last = await documents.findOne(filter, options);
    return Array.isArray(last?.email) ? documents.findOne({ ...filter, $nor: [isList] }, options) : last;
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
