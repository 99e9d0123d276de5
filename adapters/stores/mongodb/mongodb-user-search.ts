import type { Document, Filter } from 'mongodb';
import { Fault } from '../../../application/fault.ts';
import {
  hasProperty,
  keyRange,
  maxPageCharacters,
  pageOf,
  type UserFilter,
  type UserPage,
} from '../../../application/ports/user-listing.ts';
import { type OrderedListing, type OrderedPosition, UserSearch } from '../../../application/ports/user-search.ts';
import type { User } from '../../../domain/user.ts';
import { byCharacters, decode, filtersOf, isList, toListedUser } from './listed-records.ts';
import { isReservation } from './mongodb-reservations.ts';
import type { UserCollection } from './user-collection.ts';
import { indexHint } from './user-indexes.ts';
import { readFields, removed, type UserRecord } from './user-record.ts';

/** How many documents are sorted for a page if only some of those before have matched. */
const maxCandidates = 10_000;
/** How many documents are read at once, as many as the largest page has. */
const maxReadAtOnce = 200;

/** The documents of a filter, without those that only reserve an address, and damaged ones without a place of their own. */
const matching = (filter: UserFilter): Filter<UserRecord>[] => {
  const { from, to } = keyRange({ address: filter.address, after: undefined });
  return [{ email: { $gte: from, $lt: to }, $nor: [removed, isList, isReservation] }, ...filtersOf(filter)];
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

  /** Reads on until a page is full: the server selects all documents with escapes, and sorts anew for each call. */
  private async page({ after, limit, ...listing }: OrderedListing): Promise<UserPage<OrderedPosition>> {
    const { property } = listing;
    const users: (readonly [OrderedPosition, User | Fault])[] = [];
    let characters = 0;
    let start = after;
    for (let candidates = limit; ; candidates = maxCandidates) {
      const positions = await this.positions(listing, start, candidates + 1);
      for (let read = 0; read < Math.min(positions.length, candidates); ) {
        const part = positions.slice(read, Math.min(read + Math.max(limit, maxReadAtOnce), candidates));
        for (const [position, user] of await this.usersAt(part)) {
          if (!(user instanceof Fault)) characters += user.properties.length;
          if (user instanceof Fault || property === undefined || hasProperty(user, property))
            users.push([position, user]);
        }
        read += part.length;
        start = part.at(-1);
        const end = read < positions.length ? start : undefined;
        if (users.length >= limit || characters > maxPageCharacters) return pageOf(users, limit, end);
      }
      const isLast = positions.length <= candidates;
      if (isLast || property === undefined || candidates >= maxCandidates)
        return pageOf(users, limit, isLast ? undefined : start);
    }
  }

  /** The positions of documents that may match. */
  private async positions(
    { order, ...filter }: Omit<OrderedListing, 'after' | 'limit'>,
    after: OrderedPosition | undefined,
    most: number,
  ): Promise<readonly OrderedPosition[]> {
    const { documents, timeoutMs } = this.users;
    const { by } = order;
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
          { $limit: most },
        ],
        { maxTimeMS: timeoutMs, collation: byCharacters, ...hintFor(filter) },
      )
      .toArray();
    return found.map(({ email, time }) => ({ key: String(email), time: Number(time) }));
  }

  /** The users at positions, each with its position; those who are gone meanwhile are left out. */
  private async usersAt(
    positions: readonly OrderedPosition[],
  ): Promise<readonly (readonly [OrderedPosition, User | Fault])[]> {
    const { documents, timeoutMs } = this.users;
    const query = documents.find<Uint8Array>(
      { email: { $in: positions.map(({ key }) => key) } },
      {
        maxTimeMS: timeoutMs,
        collation: byCharacters,
        ...indexHint,
        projection: readFields,
        raw: true,
      },
    );
    const byKey = new Map((await query.toArray()).map(decode).map((found) => [String(found.document.email), found]));
    return positions.flatMap((position) => {
      const record = byKey.get(position.key);
      const user = record && toListedUser(record)[1];
      return user === undefined ? [] : [[position, user] as const];
    });
  }
}
