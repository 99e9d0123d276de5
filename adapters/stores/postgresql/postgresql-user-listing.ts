import {
  type KeyRange,
  keyRange,
  type Listing,
  maxExaminedUsers,
  maxPageCharacters,
  pageOf,
  positionAfter,
  UserListing,
  type UserPage,
} from '../../../application/ports/user-listing.ts';
import type { Database } from './postgresql-database.ts';
import { bytesOfProperties, filterTerms, keyIn, readUsers } from './postgresql-filter.ts';
import { type Run, searchedLiteral } from './sql.ts';

/** How many bytes of custom properties a page with a filter examines, and those of one user: the server reads them in 0.1 s. */
const maxExaminedBytes = 8 * 1_048_576;

const inRange = ({ from, to, except }: KeyRange): string =>
  `key >= ${searchedLiteral(from)} AND key < ${searchedLiteral(to)} AND key <> ${searchedLiteral(except)}`;

/** Lists users in the order of their keys. */
export class PostgresqlUserListing extends UserListing {
  constructor(private readonly database: Database) {
    super();
  }

  list(listing: Listing): Promise<UserPage> {
    return this.database.call((run) => this.page(run, listing));
  }

  private async page(run: Run, listing: Listing): Promise<UserPage> {
    const { limit } = listing;
    const range = inRange(keyRange(listing));
    const filters = filterTerms(listing);
    const lastExamined = filters.length === 0 ? undefined : await this.lastExamined(run, range);
    const examined = lastExamined === undefined ? [] : [`key <= ${searchedLiteral(lastExamined)}`];
    const terms = [range, ...examined, ...filters];
    // A user beyond the limit means that there is another page.
    const { found, end } = await readUsers(
      run,
      this.database.readable.users,
      terms,
      'key',
      limit + 1,
      maxPageCharacters,
    );
    const users = found.map(([row, user]) => [positionAfter(keyIn(row)), user] as const);
    const last = end === undefined ? lastExamined : keyIn(end);
    return pageOf(users, limit, last === undefined ? undefined : positionAfter(last));
  }

  /** The key of the last row that a page with a filter examines; undefined if that is the last one of the range. */
  private async lastExamined(run: Run, range: string): Promise<string | undefined> {
    const rows = await run(
      `SELECT key FROM (
         SELECT key, count(*) OVER examined AS rows, sum(${bytesOfProperties}) OVER examined AS bytes
         FROM ${this.database.readable.users} u WHERE ${range}
         WINDOW examined AS (ORDER BY key ROWS UNBOUNDED PRECEDING) ORDER BY key LIMIT ${maxExaminedUsers}) counted
       WHERE rows = ${maxExaminedUsers} OR bytes > ${maxExaminedBytes} ORDER BY key LIMIT 1`,
    );
    return rows[0]?.[0] ?? undefined;
  }
}
