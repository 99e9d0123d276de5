import type Database from 'better-sqlite3';
import {
  type KeyRange,
  keyRange,
  type Listing,
  mostExamined,
  pageOf,
  type UserPage,
} from '../../../application/ports/user-listing.ts';
import type { User } from '../../../domain/user.ts';
import { columns, type Row, toUser } from './row.ts';

type Range = [from: string, to: string, except: string];
type KeyedRow = [...Row, key: string];

const inRange = 'key >= ? AND key < ? AND key <> ?';

const boundsOf = ({ from, to, except }: KeyRange): Range => [from, to, except];

/** The first text that comes after a key. */
const justAfter = (key: string): string => `${key}\0`;

function* usersIn(rows: Iterable<KeyedRow>): Generator<readonly [string, User]> {
  for (const row of rows) yield [row[9], toUser(row)];
}

/**
 * Lists users in the order of their keys. It runs on the calling thread, so that it looks at a bounded number of rows:
 * where only some of them fit, the page ends with the last one that was looked at.
 */
export class Lister {
  private readonly all: Database.Statement<[...Range, number], KeyedRow>;
  private readonly some: Database.Statement<[...Range, number, number], KeyedRow>;
  private readonly horizon: Database.Statement<[...Range, number], string>;

  constructor(database: Database.Database) {
    const selected = `SELECT ${columns}, key FROM users WHERE ${inRange}`;
    this.all = database.prepare<[...Range, number], KeyedRow>(`${selected} ORDER BY key LIMIT ?`).raw();
    this.some = database
      .prepare<[...Range, number, number], KeyedRow>(`${selected} AND verified = ? ORDER BY key LIMIT ?`)
      .raw();
    // The index of the key alone answers it.
    this.horizon = database
      .prepare<[...Range, number], string>(`SELECT key FROM users WHERE ${inRange} ORDER BY key LIMIT 1 OFFSET ?`)
      .pluck();
  }

  list(listing: Listing): UserPage {
    const range = keyRange(listing);
    const { limit, verified } = listing;
    // One more than fit on the page tells that there are more.
    if (verified === undefined)
      return pageOf(usersIn(this.all.iterate(...boundsOf(range), limit + 1)), limit, undefined);
    const horizon = this.horizon.get(...boundsOf(range), mostExamined - 1);
    const near = horizon === undefined ? range : { ...range, to: justAfter(horizon) };
    return pageOf(usersIn(this.some.iterate(...boundsOf(near), verified ? 1 : 0, limit + 1)), limit, horizon);
  }
}
