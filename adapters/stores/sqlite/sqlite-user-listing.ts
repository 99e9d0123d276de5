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
import type { User } from '../../../domain/user.ts';
import type { ReadDatabase } from './reader.ts';
import { keyOfRow, selectListedSql, toStoredUser, type UserRow } from './user-table.ts';

type Bounds = [from: string, to: string, except: string];

const inRange = 'key >= ? AND key < ? AND key <> ?';

const boundsOf = ({ from, to, except }: KeyRange): Bounds => [from, to, except];

/** The first text that sorts after a key. */
const justAfter = (key: string): string => `${key}\0`;

function* usersIn(rows: Iterable<UserRow>): Generator<readonly [string, User]> {
  for (const row of rows) yield [keyOfRow(row), toStoredUser(row).user];
}

class Statements {
  readonly all: Database.Statement<[...Bounds, number], UserRow>;
  readonly byVerification: Database.Statement<[...Bounds, number, number], UserRow>;
  /** The key of the last row that one page may examine; the index on the key alone answers it. */
  readonly horizon: Database.Statement<[...Bounds, number], string>;

  constructor(database: Database.Database) {
    const selected = `${selectListedSql} WHERE ${inRange}`;
    this.all = database.prepare<[...Bounds, number], UserRow>(`${selected} ORDER BY key LIMIT ?`).raw();
    this.byVerification = database
      .prepare<[...Bounds, number, number], UserRow>(`${selected} AND verified = ? ORDER BY key LIMIT ?`)
      .raw();
    this.horizon = database
      .prepare<[...Bounds, number], string>(`SELECT key FROM users WHERE ${inRange} ORDER BY key LIMIT 1 OFFSET ?`)
      .pluck();
  }
}

/**
 * Lists users in the order of their keys. It runs on the calling thread and therefore examines a bounded number of rows:
 * a page of verified or unverified users ends with the last row that was examined.
 */
export class SqliteUserListing extends UserListing {
  private statements: Statements | undefined;

  constructor(private readonly read: ReadDatabase) {
    super();
  }

  list(listing: Listing): Promise<UserPage> {
    return this.read(({ database }) => this.page(database, listing));
  }

  /** The state after the last commit. */
  private page(database: Database.Database, listing: Listing): UserPage {
    this.statements ??= new Statements(database);
    const { all, byVerification, horizon: horizonOf } = this.statements;
    const range = keyRange(listing);
    const { limit, verified } = listing;
    // A user beyond the limit means that there is another page.
    if (verified === undefined) return pageOf(usersIn(all.iterate(...boundsOf(range), limit + 1)), limit, undefined);
    const horizon = horizonOf.get(...boundsOf(range), maxExaminedUsers - 1);
    const bounds = boundsOf(horizon === undefined ? range : { ...range, to: justAfter(horizon) });
    return pageOf(usersIn(byVerification.iterate(...bounds, verified ? 1 : 0, limit + 1)), limit, horizon);
  }
}
