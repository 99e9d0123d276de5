import type Database from 'better-sqlite3';
import {
  type KeyRange,
  keyRange,
  type Listing,
  maxExaminedUsers,
  pageOf,
  UserListing,
  type UserPage,
} from '../../../application/ports/user-listing.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { endOfSearch, filterTerms, prepareFor, sqlOf, type Term, valuesOf } from './sqlite-filter.ts';
import { isUserSql, selectListedSql, toListedUser, type UserRow } from './sqlite-user-table.ts';

type Bounds = [from: string, to: string, except: string];

const inRange = 'key >= ? AND key < ? AND key <> ?';

const boundsOf = ({ from, to, except }: KeyRange): Bounds => [from, to, except];

/** The first text that sorts after a key. */
const justAfter = (key: string): string => `${key}\0`;

function* usersIn(database: Database.Database, rows: Iterable<UserRow>): Generator<ReturnType<typeof toListedUser>> {
  for (const row of rows) yield toListedUser(database, row);
}

type Listed = Database.Statement<[...Bounds, ...(string | number)[]], UserRow>;

class Statements {
  private readonly listed = new Map<string, Listed>();
  /** Only the index on the key is read for it. */
  private readonly lastExamined: Database.Statement<[...Bounds, number], string>;
  private readonly sizes: Database.Statement<Bounds, [key: string, bytes: number]>;

  constructor(readonly database: Database.Database) {
    this.lastExamined = database
      .prepare<[...Bounds, number], string>(`SELECT key FROM users WHERE ${inRange} ORDER BY key LIMIT 1 OFFSET ?`)
      .pluck();
    this.sizes = database
      .prepare<Bounds, [string, number]>(
        `SELECT key, octet_length(properties) FROM users WHERE ${inRange} ORDER BY key`,
      )
      .raw();
  }

  /** The key of the last row that one page may examine; undefined if that is the last one of the range. */
  endOfPage(bounds: Bounds, searchesProperties: boolean): string | undefined {
    return searchesProperties
      ? endOfSearch(this.sizes.iterate(...bounds))
      : this.lastExamined.get(...bounds, maxExaminedUsers - 1);
  }

  /** Selects a range, then takes the values of the terms and the limit. */
  of(terms: readonly Term[]): Listed {
    const where = `${inRange}${sqlOf(terms)} AND ${isUserSql}`;
    const prepared =
      this.listed.get(where) ??
      this.database
        .prepare<[...Bounds, ...(string | number)[]], UserRow>(`${selectListedSql} WHERE ${where} ORDER BY key LIMIT ?`)
        .raw();
    this.listed.set(where, prepared);
    return prepared;
  }
}

/**
 * Lists users in the order of their keys. It runs on the calling thread and therefore examines a bounded number of rows:
 * a page with a filter ends with the last row that was examined.
 */
export class SqliteUserListing extends UserListing {
  private statements: Statements | undefined;

  constructor(private readonly connection: SqliteConnection) {
    super();
  }

  list(listing: Listing): Promise<UserPage> {
    return this.connection.read(({ database }) => this.page(database, listing));
  }

  /** The state after the last commit. */
  private page(database: Database.Database, listing: Listing): UserPage {
    if (this.statements?.database !== database) this.statements = new Statements(database);
    prepareFor(listing, database);
    const { limit } = listing;
    const range = keyRange(listing);
    const terms = filterTerms(listing);
    const statement = this.statements.of(terms);
    // A user beyond the limit means that there is another page.
    const select = (bounds: Bounds) => usersIn(database, statement.iterate(...bounds, ...valuesOf(terms), limit + 1));
    if (terms.length === 0) return pageOf(select(boundsOf(range)), limit, undefined);
    const lastExamined = this.statements.endOfPage(boundsOf(range), listing.property !== undefined);
    const bounds = boundsOf(lastExamined === undefined ? range : { ...range, to: justAfter(lastExamined) });
    return pageOf(select(bounds), limit, lastExamined);
  }
}
