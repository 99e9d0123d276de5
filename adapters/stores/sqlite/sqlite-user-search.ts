import type Database from 'better-sqlite3';
import {
  keyRange,
  maxExaminedUsers,
  pageOf,
  type UserFilter,
  type UserPage,
} from '../../../application/ports/user-listing.ts';
import { type OrderedListing, type OrderedPosition, UserSearch } from '../../../application/ports/user-search.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { endOfSearch, filterTerms, prepareFor, sqlOf, type Term, valuesOf } from './sqlite-filter.ts';
import { columnOf, isUserSql, selectListedSql, toListedUser, type UserRow } from './sqlite-user-table.ts';

/** Rows after an identifier, up to another one. */
type Slice = readonly [after: number, to: number];

// The slices are read in the order of the table; with its index on the key, each row would be looked up.
const inSlice = 'FROM users NOT INDEXED WHERE rowid > ? AND rowid <= ?';

/**
 * Where a slice after a row ends, so that other work of the thread can run after 1 ms, or more if users are large; undefined
 * if no row follows.
 */
const endOfSlice = (database: Database.Database, { conditions, property }: UserFilter, start: number) => {
  const from = 'FROM users NOT INDEXED WHERE rowid > ? ORDER BY rowid';
  if (property !== undefined) {
    const sizes = database.prepare<[number], [number, number]>(`SELECT rowid, octet_length(properties) ${from}`);
    return endOfSearch(sizes.raw().iterate(start));
  }
  const rows = conditions.length > 0 ? maxExaminedUsers : 5_000;
  const rowids = database.prepare<[number, number], number>(`SELECT rowid ${from} LIMIT 1 OFFSET ?`);
  return rowids.pluck().get(start, rows - 1);
};

/** The order of SQLite, which compares the bytes of UTF-8. */
const compare = (one: OrderedPosition, other: OrderedPosition): number =>
  one.time - other.time || Buffer.compare(Buffer.from(one.key), Buffer.from(other.key));

/** The terms of a filter, without the reservations of addresses. */
const termsOf = (filter: UserFilter): readonly Term[] => {
  const { from, to } = keyRange({ address: filter.address, after: undefined });
  const ofKey = filter.address === '' ? [] : [{ sql: 'key >= ? AND key < ?', values: [from, to] }];
  return [{ sql: isUserSql, values: [] }, ...ofKey, ...filterTerms(filter)];
};

/** Sorts and counts users without an index, which every write would pay for. It runs on the calling thread, in slices. */
export class SqliteUserSearch extends UserSearch {
  constructor(private readonly connection: SqliteConnection) {
    super();
  }

  async sorted({ order, after, limit, ...filter }: OrderedListing): Promise<UserPage<OrderedPosition>> {
    const time = columnOf({ name: order.by });
    const [direction, comparison] = order.isDescending ? ['DESC', '<'] : ['ASC', '>'];
    const ofPosition = { sql: `(${time}, key) ${comparison} (?, ?)`, values: after ? [after.time, after.key] : [] };
    // No position stands for the time of a damaged record, which a list by addresses reports.
    const ofTime = { sql: `${time} BETWEEN 0 AND ?`, values: [Number.MAX_SAFE_INTEGER] };
    const terms = [ofTime, ...(after === undefined ? [] : [ofPosition]), ...termsOf(filter)];
    const sql = `SELECT ${time} AS time, key ${inSlice}${sqlOf(terms)} ORDER BY ${time} ${direction}, key ${direction} LIMIT ?`;
    const direct = (one: OrderedPosition, other: OrderedPosition) =>
      order.isDescending ? compare(other, one) : compare(one, other);
    let first: readonly OrderedPosition[] = [];
    await this.eachSlice(filter, (database, slice) => {
      const statement = database.prepare<(string | number)[], OrderedPosition>(sql);
      const found = statement.all(...slice, ...valuesOf(terms), limit + 1);
      first = [...first, ...found].sort(direct).slice(0, limit + 1);
      return true;
    });
    const end = first.length > limit ? first[limit - 1] : undefined;
    return this.connection.read(({ database }) => pageOf(usersAt(database, first.slice(0, limit)), limit, end));
  }

  async count(filter: Omit<UserFilter, 'property'>, most: number): Promise<number> {
    const counted = { ...filter, property: undefined };
    const terms = termsOf(counted);
    const sql = `SELECT count(*) ${inSlice}${sqlOf(terms)}`;
    let count = 0;
    await this.eachSlice(counted, (database, slice) => {
      const statement = database.prepare<(string | number)[], number>(sql).pluck();
      count += statement.get(...slice, ...valuesOf(terms)) ?? 0;
      return count < most;
    });
    return Math.min(count, most);
  }

  /** Examines all rows in slices, until `examine` returns false. */
  private async eachSlice(
    filter: UserFilter,
    examine: (database: Database.Database, slice: Slice) => boolean,
  ): Promise<void> {
    for (let after: number | undefined = Number.MIN_SAFE_INTEGER; after !== undefined; ) {
      const start: number = after;
      after = await this.connection.read(({ database }) => {
        prepareFor(filter, database);
        const end = endOfSlice(database, filter, start);
        return examine(database, [start, end ?? Number.MAX_SAFE_INTEGER]) ? end : undefined;
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** The users at positions, each with its position; those who are gone meanwhile are left out. */
function* usersAt(database: Database.Database, positions: readonly OrderedPosition[]) {
  const byKey = database.prepare<[string], UserRow>(`${selectListedSql} WHERE key = ?`).raw();
  for (const position of positions) {
    const row = byKey.get(position.key);
    if (row !== undefined) yield [position, toListedUser(database, row)[1]] as const;
  }
}
