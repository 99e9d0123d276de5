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
import type { Database } from './postgresql-database.ts';
import { filterTerms, isUser, keyIn, readUsers } from './postgresql-filter.ts';
import { columnOf } from './postgresql-schema.ts';
import { userColumns } from './postgresql-user-table.ts';
import { type Row, searchedLiteral } from './sql.ts';

/** How many users who may have a property are read for a page: the server reads all users again for the next one. */
const maxCandidates = 2_000;
const maxBytesOfCandidates = 4 * maxPageCharacters;

const termsOf = (filter: UserFilter): readonly string[] => {
  const { from, to } = keyRange({ address: filter.address, after: undefined });
  const inRange = filter.address === '' ? [] : [`key >= ${searchedLiteral(from)} AND key < ${searchedLiteral(to)}`];
  return [isUser, ...inRange, ...filterTerms(filter)];
};

/** Sorts and counts users without an index, which every write would pay for: the server reads all of them. */
export class PostgresqlUserSearch extends UserSearch {
  constructor(private readonly database: Database) {
    super();
  }

  async sorted({ order, after, limit, ...filter }: OrderedListing): Promise<UserPage<OrderedPosition>> {
    const time = columnOf({ name: order.by });
    const [direction, comparison] = order.isDescending ? ['DESC', '<'] : ['ASC', '>'];
    const terms = [
      ...termsOf(filter),
      // No position stands for the time of a damaged record, which a list by addresses reports.
      `${time} BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER}`,
      ...(after === undefined ? [] : [`(${time}, key) ${comparison} (${after.time}, ${searchedLiteral(after.key)})`]),
    ];
    const { property } = filter;
    const [most, bytes] =
      property === undefined ? [limit + 1, maxPageCharacters] : [maxCandidates, maxBytesOfCandidates];
    const by = `${time} ${direction}, key ${direction}`;
    const { found, end } = await this.database.call((run) =>
      readUsers(run, this.database.readable.users, terms, by, most, bytes),
    );
    const timeColumn = userColumns.indexOf(time);
    const positionIn = (row: Row): OrderedPosition => ({ time: Number(row[timeColumn]), key: keyIn(row) });
    const isWanted = (user: User | Fault | undefined): boolean =>
      user instanceof Fault || property === undefined || (user !== undefined && hasProperty(user, property));
    const users = found.filter(([, user]) => isWanted(user)).map(([row, user]) => [positionIn(row), user] as const);
    return pageOf(users, limit, end && positionIn(end));
  }

  async count(filter: Omit<UserFilter, 'property'>, most: number): Promise<number> {
    const terms = termsOf({ ...filter, property: undefined });
    const rows = await this.database.call((run) =>
      run(
        `SELECT count(*) FROM (
           SELECT FROM ${this.database.readable.users} u WHERE ${terms.join(' AND ')} LIMIT ${most}) counted`,
      ),
    );
    return Number(rows[0]?.[0]);
  }
}
