import type { Document, Filter } from 'mongodb';
import { keyRange, pageOf, type UserFilter, type UserPage } from '../../../application/ports/user-listing.ts';
import { type OrderedListing, type OrderedPosition, UserSearch } from '../../../application/ports/user-search.ts';
import { byCharacters, decode, filtersOf, isList, toListedUser } from './listed-records.ts';
import { indexHint, type UserCollection } from './user-collection.ts';
import { readFields, removed, type UserRecord } from './user-record.ts';

/** The documents of a filter, without those that only reserve an address, and damaged ones without a place of their own. */
const matching = (filter: UserFilter): Filter<UserRecord>[] => {
  const { from, to } = keyRange({ address: filter.address, after: undefined });
  return [{ email: { $gte: from, $lt: to }, $nor: [removed, isList] }, { password: { $ne: '' } }, ...filtersOf(filter)];
};

/** All documents in their order on the disk are read faster than through the index, but only a prefix selects few of them. */
const hintFor = ({ address }: UserFilter) => (address === '' ? ({ hint: { $natural: 1 } } as const) : indexHint);

/** Sorts and counts users without an index, which every write would pay for: the server reads all documents. */
export class MongodbUserSearch extends UserSearch {
  constructor(private readonly users: UserCollection) {
    super();
  }

  sorted(listing: OrderedListing): Promise<UserPage<OrderedPosition>> {
    return this.users.callWithIndex(() => this.users.primary.read(() => this.page(listing)));
  }

  count(filter: Omit<UserFilter, 'property'>, most: number): Promise<number> {
    const { documents, timeoutMs } = this.users;
    const counted: UserFilter = { ...filter, property: undefined };
    const options = { ...hintFor(counted), maxTimeMS: timeoutMs, limit: most };
    return this.users.callWithIndex(() =>
      this.users.primary.read(() => documents.countDocuments({ $and: matching(counted) }, options)),
    );
  }

  private async page({ order, after, limit, ...filter }: OrderedListing): Promise<UserPage<OrderedPosition>> {
    const { documents, timeoutMs } = this.users;
    const { by } = order;
    const options = { maxTimeMS: timeoutMs, collation: byCharacters };
    const beyond = order.isDescending ? '$lt' : '$gt';
    const start: Filter<UserRecord>[] =
      after === undefined
        ? []
        : [{ $or: [{ [by]: { [beyond]: after.time } }, { [by]: after.time, email: { [beyond]: after.key } }] }];
    const direction = order.isDescending ? -1 : 1;
    // Only what is sorted is read: the server would refuse to sort many large users.
    const found = await documents
      .aggregate<Document>(
        [
          { $match: { $and: [...matching(filter), { [by]: { $gte: 0, $lte: Number.MAX_SAFE_INTEGER } }, ...start] } },
          { $project: { _id: 0, email: 1, time: `$${by}` } },
          { $sort: { time: direction, email: direction } },
          { $limit: limit + 1 },
        ],
        { ...options, ...hintFor(filter) },
      )
      .toArray();
    const positions = found.map(({ email, time }): OrderedPosition => ({ key: String(email), time: Number(time) }));
    const page = positions.slice(0, limit);
    const keys = page.map(({ key }) => key);
    const query = documents.find<Uint8Array>(
      { email: { $in: keys } },
      { ...options, ...indexHint, projection: { ...readFields, email: 1 }, raw: true },
    );
    const byKey = new Map((await query.toArray()).map(decode).map((found) => [String(found.document.email), found]));
    const users = page.flatMap((position) => {
      const record = byKey.get(position.key);
      return record === undefined ? [] : [[position, toListedUser(record)[1]] as const];
    });
    return pageOf(users, limit, positions.length > limit ? page.at(-1) : undefined);
  }
}
