import {
  Fault,
  keyRange,
  type Listing,
  maxExaminedUsers,
  type OrderedListing,
  type OrderedPosition,
  pageOf,
  type User,
  type UserFilter,
  UserListing,
  type UserPage,
  UserSearch,
} from 'latchkey/ports';
import type { Database, Row } from './database.ts';
import { allOf, filterConditions, inRange, matching } from './filter.ts';
import type { TablePreparation } from './table-preparation.ts';
import { columnOf, isUser, userIn } from './tables.ts';

/** The user of a row, or why it cannot be read. */
const listed = (row: Row): User | Fault => {
  try {
    return userIn(row);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
};

/** Lists users in the order of their keys. A page with a filter ends with the last row that it may examine. */
export class MariadbUserListing extends UserListing {
  constructor(
    private readonly database: Database,
    private readonly preparation: TablePreparation,
  ) {
    super();
  }

  list(listing: Listing): Promise<UserPage> {
    const { users } = this.preparation.tables;
    const range = inRange(keyRange(listing));
    const filters = filterConditions(listing);
    return this.database.call(async ({ query }) => {
      let end: string | undefined;
      if (filters.length > 0) {
        const last = `SELECT address_key FROM ${users} WHERE ${range.sql} ORDER BY address_key LIMIT 1 OFFSET ?`;
        const { rows } = await query(last, [...range.values, maxExaminedUsers - 1]);
        end = rows[0] && String(rows[0].address_key);
      }
      const upToEnd = end === undefined ? [] : [{ sql: 'address_key <= ?', values: [end] }];
      const { sql, values } = allOf([{ sql: isUser, values: [] }, range, ...upToEnd, ...filters]);
      const text = `SELECT ${this.preparation.selection} FROM ${users} WHERE ${sql} ORDER BY address_key LIMIT ?`;
      const { rows } = await query(text, [...values, listing.limit + 1]);
      return pageOf(
        rows.map((row) => [String(row.address_key), listed(row)]),
        listing.limit,
        end,
      );
    });
  }
}

/** Sorts and counts users without an index, which every write would pay for. */
export class MariadbUserSearch extends UserSearch {
  constructor(
    private readonly database: Database,
    private readonly preparation: TablePreparation,
  ) {
    super();
  }

  sorted({ order, after, limit, ...filter }: OrderedListing): Promise<UserPage<OrderedPosition>> {
    const time = columnOf({ name: order.by });
    const [direction, comparison] = order.isDescending ? ['DESC', '<'] : ['ASC', '>'];
    const ofPosition = after && { sql: `(${time}, address_key) ${comparison} (?, ?)`, values: [after.time, after.key] };
    const { sql, values } = allOf([matching(filter), ...(ofPosition ? [ofPosition] : [])]);
    return this.database.call(async ({ query }) => {
      const { selection, tables } = this.preparation;
      const text = `SELECT ${selection} FROM ${tables.users} WHERE ${sql} ORDER BY ${time} ${direction}, address_key ${direction} LIMIT ?`;
      const { rows } = await query(text, [...values, limit + 1]);
      const found = rows.map((row) => {
        const position = { time: Number(row[time]), key: String(row.address_key) };
        return [position, listed(row)] as const;
      });
      return pageOf(found, limit, undefined);
    });
  }

  async count(filter: Omit<UserFilter, 'property'>, most: number): Promise<number> {
    const { sql, values } = matching({ ...filter, property: undefined });
    const text = `SELECT COUNT(*) AS count FROM (SELECT 1 FROM ${this.preparation.tables.users} WHERE ${sql} LIMIT ?) found`;
    const { rows } = await this.database.read(text, [...values, most]);
    return Number(rows[0]?.count);
  }
}
