import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { keyOf } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import { propertyOf, type User } from '../../domain/user.ts';
import type { UniqueProperty } from '../../domain/user-name.ts';
import { Fault, unlessDamaged } from '../fault.ts';
import type { AttemptCounter } from '../ports/attempt-counter.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import {
  hasProperty,
  maxPageCharacters,
  type PropertyValue,
  type UserFilter,
  type UserListing,
  type UserPage,
} from '../ports/user-listing.ts';
import type { OrderedPosition, UserOrder, UserSearch } from '../ports/user-search.ts';
import type { ByAdministrator } from './administrator.ts';
import type { HolderOf } from './inspect-user.ts';
import { blockedOf, conditionsOf, type ListedUsersFilter, type Selection } from './listed-conditions.ts';

export interface ListUsers extends ByAdministrator, ListedUsersFilter {
  readonly type: 'ListUsers';
  /** The maximum number of users on the page. */
  readonly limit: number;
  /** The `next` of the previous page of the same order; undefined for the first page. With `order`, a time and a key. */
  readonly after?: string | undefined;
  /** A prefix of the keys of the addresses; all by default. */
  readonly address?: string;
  /** A part of the keys of the addresses. */
  readonly addressContains?: string | undefined;
  readonly property?: PropertyValue | undefined;
  /** Undefined lists users in the order of the store. */
  readonly order?: UserOrder | undefined;
  /** Whether to count all users that match. */
  readonly total?: boolean | undefined;
}

/** How many users match. */
export interface Total {
  readonly count: number;
  /** Whether there are no more than these. */
  readonly isExact: boolean;
}

/** A page of users; `total` only if it was requested, and null if it is not known. */
export type ListedUsers = UserPage & { readonly total?: Total | null };

export type ListUsersResult = Either<Failure<'users_not_listed' | 'users_not_sorted'>, ListedUsers>;

/** How long to read on for users who match; after it the caller gets fewer, and continues from there. */
const readOnMs = 250;

/** How far users are counted. */
const maxCount = 10_000;

declare module '../bus.ts' {
  interface Queries {
    readonly ListUsers: OptionalUseCase<ListUsers, ListUsersResult>;
  }
}

/** Reads a page of at most `limit` users after a position. */
type ReadPage = (limit: number, after: string | undefined) => Promise<UserPage>;

const writtenPosition = ({ time, key }: OrderedPosition): string => `${time} ${key}`;

/** Throws a TypeError for a position of no order, which callers refuse before. */
const orderedPosition = (position: string): OrderedPosition => {
  const cut = position.indexOf(' ');
  const [time, key] = [Number(position.slice(0, cut)), position.slice(cut + 1)];
  if (cut < 1 || !Number.isSafeInteger(time)) throw new TypeError('the position is not one of an order');
  return { time, key };
};

/** Leaves out whom stores may list in addition. */
const matching = (users: readonly User[], { addressContains, property }: UserFilter): readonly User[] =>
  users.filter(
    (user) =>
      (addressContains === '' || keyOf(user.email.address).includes(addressContains)) &&
      (property === undefined || hasProperty(user, property)),
  );

/** Whether nothing but a property is searched for: the holder of a unique one is found without reading others. */
const isForProperty = ({ after, address, addressContains, verified, inactive, state }: ListUsers): boolean =>
  [after, address, addressContains, verified, inactive, state].every((filter = '') => filter === '');

/** Reads a page of users. */
export class ListUsersHandler {
  constructor(
    /** Undefined if the store can't list its users. */
    private readonly listing: UserListing | undefined,
    /** Undefined if the store can neither sort nor count its users. */
    private readonly search: UserSearch | undefined,
    private readonly clock: Clock,
    /** Undefined if wrong passwords are not counted. */
    private readonly attempts: AttemptCounter | undefined,
    private readonly log: Log,
    private readonly holderOf: HolderOf = async () => undefined,
    /** The custom properties that no two users share. */
    private readonly unique: readonly UniqueProperty[] = [],
  ) {}

  async handle(message: ListUsers): Promise<ListUsersResult> {
    const { property: asked } = message;
    // A damaged one must not keep the others from being listed.
    const known = asked && (await unlessDamaged(this.holderOf(asked), (fault) => fault));
    const [holder, damage] = known instanceof Fault ? [undefined, known] : [known, undefined];
    if (holder !== undefined && isForProperty(message))
      return right({ users: [holder], next: undefined, ...(message.total && { total: { count: 1, isExact: true } }) });
    const { listing, search, attempts } = this;
    const { address = '', addressContains = '', state, order, inactive } = message;
    if (listing === undefined) return left(failure('users_not_listed'));
    if (order !== undefined && search === undefined) return left(failure('users_not_sorted'));
    const isNobodyInactive = inactive !== undefined && inactive.recordedSince >= inactive.before;
    if (isNobodyInactive || (state === 'blocked' && attempts === undefined))
      return right({ users: [], next: undefined, ...(message.total && { total: { count: 0, isExact: true } }) });
    // As the holder has written it, because stores compare texts.
    const property = asked && holder ? { ...asked, value: String(propertyOf(holder, asked.name)) } : asked;
    const filter = { address, addressContains, property, conditions: conditionsOf(message, this.clock.now()) };
    const found = await this.read(message, filter, async (limit, after) => {
      if (order === undefined || search === undefined) return listing.list({ ...filter, limit, after });
      const start = after === undefined ? undefined : orderedPosition(after);
      const { next, ...page } = await search.sorted({ ...filter, order, limit, after: start });
      return { ...page, next: next && writtenPosition(next) };
    });
    const page = damage === undefined || message.after !== undefined ? found : this.reporting(found, damage);
    return right(message.total === true ? { ...page, total: await this.total(message, filter, page) } : page);
  }

  /** Reads users until enough of them match, for a bounded time and size. Logs records that cannot be read. */
  private async read(message: ListUsers, filter: UserFilter, readPage: ReadPage): Promise<UserPage> {
    const { limit, state, after } = message;
    // Counters have digests in place of addresses, so that the blocked users can only be found among all of them.
    const attempts = state === 'blocked' ? this.attempts : undefined;
    const isSearch = attempts !== undefined || filter.addressContains !== '' || filter.property !== undefined;
    const enough = isSearch ? limit : 1;
    const started = performance.now();
    const users: User[] = [];
    const unreadable: Fault[] = [];
    let characters = 0;
    for (let next = after; ; ) {
      const page = await readPage(limit - users.length - unreadable.length, next);
      next = page.next;
      const found = matching(page.users, filter);
      const selected: Selection =
        attempts === undefined ? { users: found, unreadable: [] } : await blockedOf(found, attempts, this.unique);
      users.push(...selected.users);
      unreadable.push(...(page.unreadable ?? []), ...selected.unreadable);
      for (const { properties } of selected.users) characters += properties.length;
      const isFull = users.length + unreadable.length >= enough || characters > maxPageCharacters;
      if (isFull || next === undefined || performance.now() - started > readOnMs) {
        for (const { record, message: reason } of unreadable)
          this.log.warn({ record, reason }, 'a record was not listed');
        return { users, ...(unreadable.length > 0 && { unreadable }), next };
      }
      // Let requests run between two pages of a store that reads on this thread.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** A page with the damaged holder of the property, unless the page has met it, too. */
  private reporting(page: UserPage, damage: Fault): UserPage {
    const others = page.unreadable ?? [];
    if (others.some(({ record }) => record === damage.record)) return page;
    this.log.warn({ record: damage.record, reason: damage.message }, 'a record was not listed');
    return { ...page, unreadable: [damage, ...others] };
  }

  /** How many users match; null if that is not known. The page is worth its answer without it. */
  private async total(message: ListUsers, filter: UserFilter, page: UserPage): Promise<Total | null> {
    try {
      return await this.count(message, filter, page);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.log.warn({ reason: error.message }, 'the users of a list were not counted');
      return null;
    }
  }

  /** Null where only pages can be examined for it. */
  private async count(
    { after, state }: ListUsers,
    filter: UserFilter,
    { users, next }: UserPage,
  ): Promise<Total | null> {
    if (after === undefined && next === undefined) return { count: users.length, isExact: true };
    if (this.search === undefined || state === 'blocked' || filter.property !== undefined) return null;
    const count = await this.search.count(filter, maxCount + 1);
    return { count: Math.min(count, maxCount), isExact: count <= maxCount };
  }
}
